"""Kernels of one instruction each, to compare it with its Python twin (`kernel.py_func`)."""

from __future__ import annotations

from engine.attacks import slider_entry
from engine.jit import kernel
from engine.machine import prefetch
from engine.state import game_at, parameters_at, searcher_at


@kernel
def prefetch_at(address):
    prefetch(address)
    return address


@kernel
def slider_entry_of(index):
    return slider_entry(index)


@kernel
def touch_game(address, index, value):
    """Read and write a scalar and elements through the address of a GAME_DTYPE record."""
    game = game_at(address)
    old = game.plies
    game.plies = value
    game.keys[index] = game.key
    return old


@kernel
def touch_searcher(address, index, value):
    searcher = searcher_at(address)
    old = searcher.history[1, 5, index]
    searcher.history[1, 5, index] = value
    searcher.tt_age = searcher.pv[index, index]
    return old


@kernel
def touch_parameters(address, index, value):
    parameters = parameters_at(address)
    old = parameters.reductions[index, index] + parameters.lmr_base
    parameters.weights[index] = value
    return old
