"""One processor instruction that numba does not offer: ask for an array's entry before it is needed.

Look-up tables and hash tables are spread over far more memory than the caches hold, so that waiting for it is most of what a
value or a search costs. While the indices of one state are worked out, the weights of the one before are on their way.
"""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic


@intrinsic
def prefetch(typing, array, i):
    """Have the first entry of array[i] brought into the cache; changes nothing."""

    def build(context, builder, signature, arguments):
        data = context.make_array(signature.args[0])(context, builder, arguments[0])
        at = context.cast(builder, arguments[1], signature.args[1], types.intp)
        stride = cgutils.unpack_tuple(builder, data.strides)[0]
        byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        address = builder.gep(builder.bitcast(data.data, byte), [builder.mul(at, stride)])
        kind = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        # 0: for reading; 2: into the second cache, which took half the time that asking for the first did; 1: data
        builder.call(function, [address, *(ir.Constant(word, n) for n in (0, 2, 1))])
        return context.get_dummy_value()

    return types.void(array, i), build
