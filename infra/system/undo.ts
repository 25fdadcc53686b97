/** Steps that undo what has been started so far, run in reverse order. */
export interface UndoStack {
  add(undo: () => Promise<void> | void): void
  /** Runs all steps even if some fail; throws the first failure at the end. */
  run(): Promise<void>
}

export function createUndoStack(): UndoStack {
  const undos: (() => Promise<void> | void)[] = []
  return {
    add: (undo) => void undos.push(undo),
    async run() {
      const failures: unknown[] = []
      for (let undo = undos.pop(); undo; undo = undos.pop()) {
        try {
          await undo()
        } catch (error) {
          failures.push(error)
        }
      }
      if (failures.length > 0) throw failures[0]
    },
  }
}
