/** What has been brought up so far, to be taken down in reverse order, whatever happens in between. */
export interface UndoStack {
  add(undo: () => Promise<void> | void): void
  /** Runs all of it, even when one fails; the first failure is thrown at the end. */
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
