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
  'nobody is taken out for what another lacks, or for a primary that is being elected': readiness,
  'every container is locked down': lockedDown,
  'resources fit the heap': resources,
  'every variable is read, and every required one is set': configuration,
  'every secret is written by somebody, every certificate says the name it is called by': secrets,
  'every service has a user of its own database': databases,
  'replicas go one at a time, and have the time to end': rotation,
  'the network is open to neighbours alone': network,
  'what is deployed is what is built': images,
}

/** What breaks any rule. The others read what schemas have passed, so where one is broken there is no second word. */
export function problemsOf(objects: readonly Manifest[]): { readonly rule: string; readonly problem: string }[] {
  const [first, ...others] = Object.entries(RULES).map(
    ([rule, check]) =>
      () =>
        check(objects).map((problem) => ({ rule, problem })),
  )
  const malformed = first?.() ?? []
  return malformed.length > 0 ? malformed : others.flatMap((check) => check())
}
