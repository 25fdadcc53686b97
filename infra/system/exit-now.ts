/**
 * Ends this process at once. A normal exit first tears down all handles, and Node can hang in that: a program that had closed
 * some hundred sockets did so in two of four runs (Environment::CleanupHandles).
 */
export async function exitNow(code: number): Promise<never> {
  // Output to a pipe is asynchronous; without this wait the end of it would be lost.
  for (const stream of [process.stdout, process.stderr]) await new Promise((resolve) => stream.write('', resolve))
  process.exit(code)
}
