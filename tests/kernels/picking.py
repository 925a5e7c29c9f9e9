"""The staged picker by itself, with whatever hint and whatever the searcher remembers."""

from __future__ import annotations

import numpy as np

from engine.jit import kernel
from engine.move import NO_MOVE
from engine.node import Node, root_node
from engine.picker import next_move, start_picking
from engine.state import load_position


@kernel
def pick_all(game, searcher, parameters, hint, ply, scratch):
    """Fill `scratch.moves` with the moves in the order given; `hint` may be of another position."""
    root = root_node(load_position(game), parameters)
    node = Node(root.position, root.accumulator, root.checkers, ply, np.int64(0))
    start_picking(searcher, node, hint)
    scratch.move_count = 0
    while True:
        move = next_move(searcher, parameters, node, hint)
        if move == NO_MOVE or scratch.move_count == len(scratch.moves):
            return
        scratch.moves[scratch.move_count] = move
        scratch.move_count += 1
