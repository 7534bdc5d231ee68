"""zvec: an embedded vector database; HNSW over fp32 or over bytes, then refined."""

from __future__ import annotations

import shutil
from pathlib import Path

import zvec

from ann.system import Ids, Metric, System, Vector, Vectors

AT_ONCE = 1000
PLACE = "collection"


class Adapter(System):
    def __init__(self, quantize: str, m: int, ef_construction: int) -> None:
        self.quantize, self.m, self.ef_construction = quantize, m, ef_construction

    def build(self, base: Vectors, metric: Metric, threads: int) -> None:
        zvec.init(query_threads=1, optimize_threads=threads, log_level=zvec.LogLevel.ERROR)
        parameters = zvec.HnswIndexParam(
            metric_type=zvec.MetricType.L2,  # ranks vectors of length 1 as the cosine does
            m=self.m,
            ef_construction=self.ef_construction,
            quantize_type=getattr(zvec.QuantizeType, self.quantize),
            use_contiguous_memory=True,
        )
        field = zvec.VectorSchema("v", zvec.DataType.VECTOR_FP32, base.shape[1], index_param=parameters)
        collection = zvec.create_and_open(PLACE, zvec.CollectionSchema(name="ann", vectors=field))
        for start in range(0, len(base), AT_ONCE):
            rows = enumerate(base[start : start + AT_ONCE], start)
            collection.insert([zvec.Doc(id=str(row), vectors={"v": vector}) for row, vector in rows])
        collection.optimize(zvec.OptimizeOption(concurrency=threads))
        collection.flush()
        collection.close()
        self.index = zvec.open(PLACE, zvec.CollectionOption(read_only=True))

    def set_query(self, refine: bool, ef: int) -> None:
        self.parameters = zvec.HnswQueryParam(ef=ef, is_using_refiner=refine)

    def query(self, vector: Vector, k: int) -> Ids:
        return self.index.query_internal_ids(zvec.Query("v", vector=vector, param=self.parameters), topk=k)

    def save(self, folder: Path) -> None:
        shutil.copytree(PLACE, folder / PLACE)
