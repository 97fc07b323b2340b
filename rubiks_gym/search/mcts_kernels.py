"""The compiled parts of `mcts`: one pass over all trees for each of selection, expansion with backup, and playing a move.

Letters: T trees, N nodes per tree, A actions, S state, L leaves per tree and round, M new nodes of a round, of all trees.
They take the records of `mcts_tree` whole: trees (`Trees`), leaves (`Leaves`), evaluation (`Evaluation`), and the settings as
`mcts_settings.Numbers`. Arrays are taken out of a record before a loop, for to do so costs time in compiled code too.
"""
# ruff: noqa: RUF059 (a kernel unpacks the whole record, also what it does not need)

import numpy as np

from rubiks_gym.puzzles.compiled import copy, jit
from rubiks_gym.puzzles.streams import draw

_EPSILON = 1e-8  # under puct's root (Konen's epsilon): the first action tried is the one with the highest prior


# One round: from the root to leaves, and back --------------------------------------------------------------------------


@jit
def best_action(visits, q, prior, in_flight, numbers):
    """argmax_a Q(s, a) + U(s, a) - L(s, a) over rows [A] of one state; the first of equals, -1 if no action is allowed.

    puct: U = c P(s, a) sqrt(epsilon + sum_b N(s, b)) / (1 + N(s, a)). uct: U = c sqrt(ln sum_b N(s, b) / N(s, a)), where
    each N begins at first_visits; with none, an action never tried comes first.
    """
    uct, c, first_visits = numbers.uct, numbers.c, numbers.first_visits
    total = 0.0
    for a in range(prior.shape[0]):
        total += visits[a]
        if uct and prior[a] >= 0.0:
            total += first_visits
    scale = np.log(total) if uct else c * np.sqrt(_EPSILON + total)
    best, best_score = -1, -np.inf
    for a in range(prior.shape[0]):
        p = prior[a]
        if p < 0.0:  # not allowed
            continue
        n = visits[a]
        if not uct:
            u = scale * p / (1 + n)
        elif n + first_visits > 0:
            u = c * np.sqrt(scale / (n + first_visits))
        else:
            u = np.inf
        score = q[a] + u - numbers.virtual_loss * in_flight[a]
        if best < 0 or score > best_score:
            best, best_score = a, score
    return best


@jit
def select(trees, numbers, quota, leaves):
    """Walk quota [T] times from each root to a leaf, count the walk as under way, and make room for a new node there.

    A walk ends at an edge never taken before; at a goal or a node without moves, which it finds again; at a node that an
    earlier walk of the same round has just made (as parallel workers would meet); or at an edge that leads too deep.
    Fills in the leaves and returns M, how many new nodes there are.
    """
    children, visits, q, prior, value, parent, action, goal, in_flight, states, size, created = trees
    m = 0
    for t in range(quota.shape[0]):
        first_new = size[t]
        for walk in range(quota[t]):
            node, depth = np.int64(0), 0
            leaves.beyond[t, walk] = -1
            while node < first_new and not goal[t, node]:
                a = best_action(visits[t, node], q[t, node], prior[t, node], in_flight[t, node], numbers)
                if a < 0:
                    break
                in_flight[t, node, a] += 1
                depth += 1
                child = np.int64(children[t, node, a])
                if child < 0 and depth > numbers.depth_limit:
                    leaves.beyond[t, walk] = a
                    break
                if child < 0:
                    child = size[t]
                    children[t, node, a] = child
                    parent[t, child] = node
                    action[t, child] = a
                    leaves.tree[m], leaves.node[m], leaves.serial[m], leaves.action[m] = t, child, created[t], a
                    copy(states[t, node], leaves.parent[m])
                    size[t] += 1
                    created[t] += 1
                    m += 1
                node = child
            leaves.leaf[t, walk] = node
    return m


@jit
def expand(trees, tree, node, evaluation):
    """Fill in new nodes [M] of trees [M]: state, V, Q_0, and priors shared out over the allowed actions, -1 for the others."""
    children, visits, q, prior, value, parent, action, goal, in_flight, states, size, created = trees
    new_states, new_value, first_q, new_prior, allowed, solved = evaluation
    for i in range(tree.shape[0]):
        t, n = tree[i], node[i]
        copy(new_states[i], states[t, n])
        value[t, n] = new_value[i]
        goal[t, n] = solved[i]
        total, count = 0.0, 0
        for a in range(prior.shape[2]):
            if allowed[i, a]:
                total += new_prior[i, a]
                count += 1
        for a in range(prior.shape[2]):
            children[t, n, a] = -1
            visits[t, n, a] = 0
            in_flight[t, n, a] = 0
            q[t, n, a] = first_q[i]
            if not allowed[i, a]:
                prior[t, n, a] = -1.0
            elif total > 0.0:
                prior[t, n, a] = new_prior[i, a] / total
            else:  # all probability was on moves that are not allowed
                prior[t, n, a] = 1.0 / count


@jit
def backup(trees, numbers, quota, leaf, beyond):
    """Carry the value of every leaf [T, L] up to its root: N += 1, Q the mean or the maximum, and the walk is over."""
    children, visits, q, prior, value, parent, action, goal, in_flight, states, size, created = trees
    for t in range(quota.shape[0]):
        for walk in range(quota[t]):
            node = np.int64(leaf[t, walk])
            a = np.int64(beyond[t, walk])
            v = np.float64(value[t, node]) if a < 0 else numbers.too_deep
            if a < 0:
                a = np.int64(action[t, node])
                node = np.int64(parent[t, node])
            while a >= 0:
                v += numbers.charge
                visits[t, node, a] += 1
                in_flight[t, node, a] -= 1
                if numbers.max_backup:
                    q[t, node, a] = max(np.float64(q[t, node, a]), v)
                else:
                    n = visits[t, node, a] + numbers.first_visits
                    q[t, node, a] += (v - q[t, node, a]) / n
                a = np.int64(action[t, node])  # -1 at the root
                node = np.int64(parent[t, node])


@jit
def expand_and_backup(trees, numbers, quota, leaf, beyond, tree, node, evaluation):
    """Both in one call, since to hand over the trees costs as much as to work on a few."""
    expand(trees, tree, node, evaluation)
    backup(trees, numbers, quota, leaf, beyond)


@jit
def play(trees, numbers, going, moved, played):
    """Play one move in every going tree, played [T] (-1: none was tried), and keep the tree below it with all it holds.

    The kept nodes move to the front in their order, so a node is never written over before it has been read; moved [N] is room
    for their new numbers.
    """
    children, visits, q, prior, value, parent, action, goal, in_flight, states, size, created = trees
    for t in range(going.shape[0]):
        played[t] = -1
        if not going[t]:
            continue
        best_score = -np.inf
        for a in range(prior.shape[2]):
            score = np.float64(q[t, 0, a]) if numbers.play_value else np.float64(visits[t, 0, a])
            if visits[t, 0, a] > 0 and children[t, 0, a] >= 0 and score > best_score:
                played[t], best_score = a, score
        if played[t] < 0:
            continue
        root = np.int64(children[t, 0, played[t]])
        kept = 0
        for n in range(size[t]):
            if n == root or (n > root and moved[parent[t, n]] >= 0):
                moved[n] = kept
                kept += 1
            else:
                moved[n] = -1
        for n in range(root, size[t]):
            to = moved[n]
            if to < 0:
                continue
            copy(states[t, n], states[t, to])
            parent[t, to] = moved[parent[t, n]] if n > root else -1
            action[t, to] = action[t, n] if n > root else -1
            value[t, to] = value[t, n]
            goal[t, to] = goal[t, n]
            for a in range(prior.shape[2]):
                child = children[t, n, a]
                children[t, to, a] = moved[child] if child >= 0 else -1
                visits[t, to, a] = visits[t, n, a]
                q[t, to, a] = q[t, n, a]
                prior[t, to, a] = prior[t, n, a]
        size[t] = kept


@jit
def forbid(actions, allowed):
    """Take one action [M] per row from those that are allowed [M, A], unless it is the only one."""
    for i in range(actions.shape[0]):
        others = False
        for a in range(allowed.shape[1]):
            others |= allowed[i, a] and a != actions[i]
        allowed[i, actions[i]] &= not others


# Roll-outs -------------------------------------------------------------------------------------------------------------


@jit
def sample(probabilities, allowed, seeds, step, out):
    """Draw an allowed action out [M] per row of probabilities [M, A] (uniform if all are 0), by draw `step` of its seed."""
    for i in range(out.shape[0]):
        total, count = 0.0, 0
        for a in range(allowed.shape[1]):
            if allowed[i, a]:
                total += probabilities[i, a]
                count += 1
        left = (draw(seeds[i], np.uint64(step)) >> np.uint64(11)) * 2.0**-53
        left *= total if total > 0.0 else count
        for a in range(allowed.shape[1]):
            if allowed[i, a]:
                p = probabilities[i, a] if total > 0.0 else 1.0
                if p > 0.0:
                    out[i] = a  # the last possible one stays if rounding leaves a little over
                    left -= p
                    if left < 0.0:
                        break


# Breadth-first search over the states of a tree --------------------------------------------------------------------------


@jit
def shortest_paths(links, parent, action, queue):
    """Breadth-first search from vertex 0 along links [V, A] (-1: none): parent and action [V] of a shortest path to each."""
    parent[:] = -2  # not reached
    parent[0] = action[0] = -1
    queue[0] = 0
    head, tail = 0, 1
    while head < tail:
        v = queue[head]
        head += 1
        for a in range(links.shape[1]):
            to = links[v, a]
            if to >= 0 and parent[to] == -2:
                parent[to], action[to] = v, a
                queue[tail] = to
                tail += 1
