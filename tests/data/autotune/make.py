"""make.py: writes the binary form of before.txt, after.txt and others.txt, with the package protobuf of Python's index.

The field numbers are those of XLA's autotune_results.proto, autotuning.proto and dnn.proto (version 3 of the results).
"""
import pathlib

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, text_format

MESSAGES = {  # a field: its number and type; "*" before a type: repeated
    "Duration": {"seconds": (1, "int64"), "nanos": (2, "int32")},
    "Any": {"type_url": (1, "string"), "value": (2, "bytes")},
    "UInt64Value": {"value": (1, "uint64")},
    "ConvKey": {"algorithm": (1, "int64"), "tensor_ops_enabled": (2, "bool")},
    "GemmKey": {"algorithm": (1, "int64"), "autotune_workspace_size": (2, "int64")},
    "CudaConvPlanKey": {"exec_plan_id": (1, "string")},
    "TritonGemmKey": {"block_m": (1, "int64"), "block_n": (2, "int64"), "block_k": (3, "int64"), "split_k": (4, "int64"),
        "num_stages": (5, "int64"), "num_warps": (6, "int64"), "num_ctas": (7, "int64"), "is_tma_allowed": (8, "bool"),
        "is_warp_specialization_allowed": (9, "bool")},
    "CustomKernelFusionKey": {"kernel_index": (1, "int64")},
    "BackendConfigKey": {"name": (1, "string"), "config": (2, "Any")},
    "Knob": {"key": (1, "int64"), "value": (2, "int64")},
    "AlgorithmProto": {"algo_id": (1, "int64"), "math_type": (2, "MathType"), "tuning_knobs": (4, "*Knob"),
        "is_cudnn_frontend": (5, "bool"), "workspace_size": (6, "UInt64Value")},
    "AutotuneResult": {"scratch_bytes": (8, "int64"), "run_time": (9, "Duration"), "conv": (5, "ConvKey"),
        "gemm": (6, "GemmKey"), "triton": (17, "TritonGemmKey"), "cuda_conv_plan": (15, "CudaConvPlanKey"),
        "custom_kernel_fusion": (18, "CustomKernelFusionKey"), "algorithm": (16, "AlgorithmProto"),
        "other": (19, "BackendConfigKey")},
    "Entry": {"device": (1, "string"), "hlo": (2, "string"), "result": (3, "AutotuneResult")},
    "AutotuneResults": {"version": (1, "int32"), "results": (4, "*Entry")},
}

field = descriptor_pb2.FieldDescriptorProto
file = descriptor_pb2.FileDescriptorProto(name="autotune.proto", package="x", syntax="proto3")
kind = file.enum_type.add(name="MathType")
kind.value.add(name="DEFAULT_MATH", number=0)
kind.value.add(name="TENSOR_OP_MATH", number=1)
for name, fields in MESSAGES.items():
    message = file.message_type.add(name=name)
    for called, (number, type) in fields.items():
        added = message.field.add(name=called, number=number, label=field.LABEL_REPEATED if type[0] == "*" else 1)
        type = type.lstrip("*")
        if type == "MathType" or type in MESSAGES:
            added.type, added.type_name = field.TYPE_ENUM if type == "MathType" else field.TYPE_MESSAGE, ".x." + type
        else:
            added.type = getattr(field, "TYPE_" + type.upper())
pool = descriptor_pool.DescriptorPool()
pool.Add(file)
Results = message_factory.GetMessageClass(pool.FindMessageTypeByName("x.AutotuneResults"))
for path in pathlib.Path(__file__).parent.glob("*.txt"):
    path.with_suffix(".pb").write_bytes(text_format.Parse(path.read_text(), Results()).SerializeToString(deterministic=True))
