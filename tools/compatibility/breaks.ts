import type { Exchanged } from './exchanged.ts'
import { refusals } from './accepts.ts'

/**
 * What breaks when services of `then` and of `now` run side by side, both ways round, each with the message's name. A message that
 * is new breaks nothing here: that nobody is sent it who does not know it is for the services run beside one another.
 */
export function breaks(then: Exchanged, now: Exchanged): string[] {
  return Object.entries(then).flatMap(([name, old]) => {
    const current = now[name]
    if (!current) return [`${name}: it is gone, and those of then still send or expect it`]
    return [
      ...refusals(current, old).map((why) => `${name}, written now, read then: ${why}`),
      ...refusals(old, current).map((why) => `${name}, written then, read now: ${why}`),
    ]
  })
}
