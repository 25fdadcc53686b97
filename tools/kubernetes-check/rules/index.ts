/** Every rule, by what it holds. Each is given all objects of an environment and names what breaks it. */
import { duplicateProblems, schemaProblems } from '../schemas.ts'
import type { Manifest } from '../manifests.ts'
import { configuration, databases } from './configuration.ts'
import { images } from './images.ts'
import { network } from './network.ts'
import { lockedDown, probes, resources } from './pods.ts'
import { readiness } from './readiness.ts'
import { rotation } from './rotation.ts'
import { secrets } from './secrets.ts'

export type Rule = (objects: readonly Manifest[]) => readonly string[]

export const RULES: Readonly<Record<string, Rule>> = {
  'every field is known to its schema': (objects) => [...objects.flatMap(schemaProblems), ...duplicateProblems(objects)],
  'all three probes of everything that keeps running': probes,
  'no replica becomes unready for a fault of another service, or while a database primary is elected': readiness,
  'every container is locked down': lockedDown,
  'resources fit the heap': resources,
  'every variable is read, and every required one is set': configuration,
  'every secret has a source, and every certificate covers the host name that callers use': secrets,
  'every service has a user of its own database': databases,
  'replicas go one at a time, and have the time to end': rotation,
  'only the needed network connections are allowed': network,
  'what is deployed is what is built': images,
}

/** Problems of all rules. The other rules read valid objects only, so they run once the schema rule finds no problem. */
export function problemsOf(objects: readonly Manifest[]): { readonly rule: string; readonly problem: string }[] {
  const [first, ...others] = Object.entries(RULES).map(
    ([rule, check]) =>
      () =>
        check(objects).map((problem) => ({ rule, problem })),
  )
  const malformed = first?.() ?? []
  return malformed.length > 0 ? malformed : others.flatMap((check) => check())
}
