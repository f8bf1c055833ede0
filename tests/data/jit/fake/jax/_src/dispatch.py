import logging

logger = logging.getLogger("jax._src.dispatch")
