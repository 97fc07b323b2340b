"""The compiled parts of `mcts`: one pass over all trees for each of selection, expansion with backup, and playing a move.

Letters: T trees, N nodes per tree, A actions, S state, L leaves per tree and round, M new nodes of a round, of all trees.
A tree's arrays are those of `mcts.Trees`. Nodes are numbered as they are made, so a parent comes before its children.
"""

import numpy as np
from numba import njit

from rubiks_gym.puzzles.streams import GOLDEN, below, draw, mix
from rubiks_gym.search.table import hash_state, same

_jit = njit(cache=True, nogil=True)


# One round: from the root to leaves, and back --------------------------------------------------------------------------


@_jit
def best_action(visits, q, prior, in_flight, uct, c, epsilon, first_visits, virtual_loss):
    """argmax_a Q(s, a) + U(s, a) - L(s, a) over rows [A] of one state; the first of equals, -1 if no action is allowed.

    puct: U = c P(s, a) sqrt(epsilon + sum_b N(s, b)) / (1 + N(s, a)). uct: U = c sqrt(ln sum_b N(s, b) / N(s, a)), where
    each N begins at first_visits; with none, an action never tried comes first.
    """
    total = 0.0
    for a in range(prior.shape[0]):
        total += visits[a]
        if uct and prior[a] >= 0.0:
            total += first_visits
    scale = np.log(total) if uct else c * np.sqrt(epsilon + total)
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
        score = q[a] + u - virtual_loss * in_flight[a]
        if best < 0 or score > best_score:
            best, best_score = a, score
    return best


@_jit
def select(
    states, parent, action, goal, children, visits, q, prior, in_flight, size, created,  # the trees, see mcts.Trees
    uct, c, epsilon, first_visits, virtual_loss, depth_limit,
    quota, leaf, beyond, new_tree, new_node, new_serial, new_action, from_state,
):  # fmt: skip
    """Walk quota [T] times from each root to a leaf, count the walk as under way, and make room for a new node there.

    A walk ends at an edge never taken before; at a goal or a node without moves, which it finds again; at a node that an
    earlier walk of the same round has just made (as parallel workers would meet); or at an edge that leads too deep.
    leaf [T, L] is the last node, beyond [T, L] the action that would lead too deep, else -1. For new node i of the M returned:
    new_tree, new_node, new_serial (how many its tree had made before), new_action and from_state [i, S], its parent's state.
    """
    m = 0
    for t in range(quota.shape[0]):
        first_new = size[t]
        for walk in range(quota[t]):
            node, depth = np.int64(0), 0
            beyond[t, walk] = -1
            while node < first_new and not goal[t, node]:
                a = best_action(
                    visits[t, node], q[t, node], prior[t, node], in_flight[t, node], uct, c, epsilon, first_visits, virtual_loss
                )
                if a < 0:
                    break
                in_flight[t, node, a] += 1
                depth += 1
                child = np.int64(children[t, node, a])
                if child < 0 and depth > depth_limit:
                    beyond[t, walk] = a
                    break
                if child < 0:
                    child = size[t]
                    children[t, node, a] = child
                    parent[t, child] = node
                    action[t, child] = a
                    new_tree[m], new_node[m], new_serial[m], new_action[m] = t, child, created[t], a
                    for i in range(states.shape[2]):
                        from_state[m, i] = states[t, node, i]
                    size[t] += 1
                    created[t] += 1
                    m += 1
                node = child
            leaf[t, walk] = node
    return m


@_jit
def expand(
    states, value, goal, children, visits, q, prior, in_flight,
    new_tree, new_node, new_states, new_value, new_q, new_prior, allowed, solved,
):  # fmt: skip
    """Fill in M new nodes: state, V, Q_0, and priors shared out over the allowed actions [M, A], -1 for the others.

    Returns whether all values and priors were numbers a search can use.
    """
    ok = True
    for i in range(new_states.shape[0]):
        t, n = new_tree[i], new_node[i]
        for k in range(states.shape[2]):
            states[t, n, k] = new_states[i, k]
        value[t, n] = new_value[i]
        goal[t, n] = solved[i]
        ok &= np.isfinite(new_value[i]) and np.isfinite(new_q[i])
        total, count = 0.0, 0
        for a in range(prior.shape[2]):
            if allowed[i, a]:
                p = new_prior[i, a]
                ok &= 0.0 <= p < np.inf
                total += p
                count += 1
        for a in range(prior.shape[2]):
            children[t, n, a] = -1
            visits[t, n, a] = 0
            in_flight[t, n, a] = 0
            q[t, n, a] = new_q[i]
            if not allowed[i, a]:
                prior[t, n, a] = -1.0
            elif total > 0.0:
                prior[t, n, a] = new_prior[i, a] / total
            else:  # all probability was on moves that are not allowed
                prior[t, n, a] = 1.0 / count
    return ok


@_jit
def backup(parent, action, value, visits, q, in_flight, quota, leaf, beyond, use_max, first_visits, charge, too_deep):
    """Carry the value of every leaf up to its root: N += 1, Q the mean or the maximum, and the walk is over."""
    for t in range(quota.shape[0]):
        for walk in range(quota[t]):
            node = np.int64(leaf[t, walk])
            a = np.int64(beyond[t, walk])
            v = np.float64(value[t, node]) if a < 0 else too_deep
            if a < 0 and node > 0:
                a = np.int64(action[t, node])
                node = np.int64(parent[t, node])
            while a >= 0:
                v += charge
                visits[t, node, a] += 1
                in_flight[t, node, a] -= 1
                if use_max:
                    q[t, node, a] = max(np.float64(q[t, node, a]), v)
                else:
                    q[t, node, a] += (v - q[t, node, a]) / (visits[t, node, a] + first_visits)
                a = np.int64(action[t, node]) if node > 0 else -1
                node = np.int64(parent[t, node])


@_jit
def play(
    states, parent, action, value, goal, children, visits, q, prior, size, moved, going, by_value, played
):  # fmt: skip
    """Play one move in every going tree, played [T] (-1: none was tried), and keep the tree below it with all it holds.

    The kept nodes move to the front in their order, so a node is never written over before it has been read; moved [N] is room
    for their new numbers.
    """
    for t in range(going.shape[0]):
        played[t] = -1
        if not going[t]:
            continue
        best_score = -np.inf
        for a in range(prior.shape[2]):
            score = np.float64(q[t, 0, a]) if by_value else np.float64(visits[t, 0, a])
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
            states[t, to] = states[t, n]
            parent[t, to] = moved[parent[t, n]] if n > root else -1
            action[t, to] = action[t, n]
            value[t, to] = value[t, n]
            goal[t, to] = goal[t, n]
            for a in range(prior.shape[2]):
                child = children[t, n, a]
                children[t, to, a] = moved[child] if child >= 0 else -1
                visits[t, to, a] = visits[t, n, a]
                q[t, to, a] = q[t, n, a]
                prior[t, to, a] = prior[t, n, a]
        size[t] = kept


@_jit
def recall(kept, kept_costs, states, costs, at, new):
    """Costs [M] of states [M, S] as far as they are kept [C, S], their places at [M], and rows new [M] of those that are not.

    Returns how many are not. The second loop does nothing but read, so that the processor waits for many rows at once.
    """
    for m in range(states.shape[0]):
        at[m] = below(hash_state(states[m]), np.uint64(kept.shape[0]))
    for m in range(states.shape[0]):
        costs[m] = kept_costs[at[m]]
    n = 0
    for m in range(states.shape[0]):
        if np.isnan(costs[m]) or not same(kept[at[m]], states[m]):
            new[n] = m
            n += 1
    return n


# Roll-outs -------------------------------------------------------------------------------------------------------------


@_jit
def seeds_of_leaves(seeds, new_tree, new_serial, out):
    """A seed of its own, out [M] uint64, for the roll-out from each new node: a function of its tree's seed and its number."""
    for i in range(out.shape[0]):
        out[i] = mix(seeds[new_tree[i]] + np.uint64(new_serial[i]) * GOLDEN)


@_jit
def sample(probabilities, allowed, seeds, step, out):
    """Draw one allowed action out [M] per row of probabilities [M, A] (uniform if they are all 0), by draw `step` of its seed.

    Returns whether all rows could be drawn from.
    """
    ok = True
    for i in range(out.shape[0]):
        total, count = 0.0, 0
        for a in range(allowed.shape[1]):
            if allowed[i, a]:
                ok &= 0.0 <= probabilities[i, a] < np.inf
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
        ok &= count > 0
    return ok


# Breadth-first search over the states of a tree --------------------------------------------------------------------------


@_jit
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
