/**
 * The end of a program that has nothing left to do. Left to end by itself, Node first tears down whatever there is, and can spin
 * in that for ever: one that had closed some hundred sockets did, in two of four runs (Environment::CleanupHandles).
 */
export async function exitNow(code: number): Promise<never> {
  // What was written to a pipe is on its way still, and would be cut.
  for (const stream of [process.stdout, process.stderr]) await new Promise((resolve) => stream.write('', resolve))
  process.exit(code)
}
