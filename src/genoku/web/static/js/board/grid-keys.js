// The keys of a grid: how one walks it, and how digits are typed.

import { digitOf, symbolSpan } from "../symbols.js";

const CLEARING = ["Backspace", "Delete", "0", ".", " ", "-"];
const TWO_DIGITS_WITHIN = 1200; // milliseconds between the two figures of a number

export class CellKeys {
  #typed = { cell: -1, figure: 0, time: 0 };

  constructor(grid) {
    this.grid = grid;
  }

  press(event) {
    if (event.altKey) return;
    const command = event.ctrlKey || event.metaKey;
    const target = this.#target(event.key, command);
    if (target !== null) {
      event.preventDefault();
      this.grid.focus(target);
    } else if (!this.grid.editable) {
      return;
    } else if (command) {
      const key = event.key.toLowerCase();
      if (key !== "z" && key !== "y") return;
      event.preventDefault();
      if (key === "y" || event.shiftKey) this.grid.redo();
      else this.grid.undo();
    } else if (event.key.length === 1 || CLEARING.includes(event.key)) {
      event.preventDefault();
      this.type(event.key);
    }
  }

  // The cell a key leads to; null where it leads nowhere.
  #target(key, command) {
    const { side, boxRows, at } = this.grid;
    const row = Math.floor(at / side);
    const column = at % side;
    const within = (value) => Math.max(0, Math.min(side - 1, value));
    switch (key) {
      case "ArrowLeft": return command ? row * side : row * side + within(column - 1);
      case "ArrowRight": return command ? row * side + side - 1 : row * side + within(column + 1);
      case "ArrowUp": return command ? column : within(row - 1) * side + column;
      case "ArrowDown": return command ? (side - 1) * side + column : within(row + 1) * side + column;
      case "Home": return command ? 0 : row * side;
      case "End": return command ? side * side - 1 : row * side + side - 1;
      case "PageUp": return within(row - boxRows) * side + column;
      case "PageDown": return within(row + boxRows) * side + column;
      case "Enter": return (at + 1) % (side * side);
      default: return null;
    }
  }

  // A figure, letter or clearing key in the cell one is at. Numbers beyond 9 on boards without
  // letters are typed figure by figure.
  type(key) {
    const { grid } = this;
    const { side, at } = grid;
    const now = performance.now();
    const before = this.#typed;
    this.#typed = { cell: -1, figure: 0, time: 0 };
    if (side > 35 && /^\d$/.test(key) && before.cell === at && now - before.time < TWO_DIGITS_WITHIN) {
      const number = before.figure * 10 + Number(key);
      if (number <= side) return grid.put(at, number);
    }
    if (CLEARING.includes(key)) return grid.put(at, 0);
    const digit = digitOf(key, side);
    if (!digit) return grid.onRefuse(`A ${side}×${side} board has the digits ${symbolSpan(side)}; got ${key}.`);
    if (side > 35) this.#typed = { cell: at, figure: digit, time: now };
    return grid.put(at, digit);
  }
}
