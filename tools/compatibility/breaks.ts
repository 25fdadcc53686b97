import { refusals } from './accepts.ts'
import { readerOf, type Exchanged } from './exchanged.ts'

/**
 * What breaks when services of `then` and of `now` run side by side, in both directions; each entry begins with the message's
 * name. A new message breaks nothing here: `npm run compat` runs the services and shows that none gets a message it cannot read.
 */
export function breaks(then: Exchanged, now: Exchanged): string[] {
  return Object.entries(then.schemas).flatMap(([name, old]) => {
    const current = now.schemas[name]
    if (!current) return [`${name}: it is gone, and services of then still send or expect it`]
    return [
      ...refusals(current, readerOf(name, then)).map((why) => `${name}, written now, read then: ${why}`),
      ...refusals(old, readerOf(name, now)).map((why) => `${name}, written then, read now: ${why}`),
    ]
  })
}
