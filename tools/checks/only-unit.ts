/** True when the arguments choose the unit tests alone: these need nothing. */
export function onlyUnit(args: readonly string[]): boolean {
  const from = args.indexOf('--selectProjects') + 1
  if (from === 0) return false
  const names = args.slice(from)
  const end = names.findIndex((name) => name.startsWith('-'))
  return (end === -1 ? names : names.slice(0, end)).every((name) => name === 'unit')
}
