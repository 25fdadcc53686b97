/** `npm run kubernetes:check [-- <overlay> ...]`: checks what would be applied, without a cluster. */
import { readdirSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { OVERLAYS, policies, renderDeployment, schemas } from './deployment.ts'
import { nameOf, type Manifest } from './objects.ts'
import { configuration, databases } from './rules/configuration.ts'
import { images, memory } from './rules/images.ts'
import { network } from './rules/network.ts'
import { rotation } from './rules/rotation.ts'
import { secrets } from './rules/secrets.ts'

/** Receives all objects of an environment and names what breaks it. */
type Rule = (objects: readonly Manifest[]) => string[]

const RULES: Readonly<Record<string, Rule>> = {
  'every field is known to its schema': (objects) => [...schemas(objects), ...twice(objects)],
  'every policy holds: pods are locked down and probed, and replicas go one at a time': policies,
  'the memory limit fits the heap': memory,
  'every variable is read, and every required one is set': configuration,
  'every secret has a source, and every certificate covers the host name that callers use': secrets,
  'every service has a user of its own database': databases,
  'replicas have autoscalers, disruption budgets, and the time to end': rotation,
  'only the needed network connections are allowed': network,
  'what is deployed is what is built': images,
}

/** Problems of all rules. The others read valid objects only, so they run once the first rule finds no problem. */
export function problemsOf(objects: readonly Manifest[]): { readonly rule: string; readonly problem: string }[] {
  const run = ([rule, check]: [string, Rule]) => check(objects).map((problem) => ({ rule, problem }))
  const [first, ...others] = Object.entries(RULES)
  const invalid = first ? run(first) : []
  return invalid.length > 0 ? invalid : others.flatMap(run)
}

/** Objects that appear twice: the later one would replace the earlier. */
function twice(objects: readonly Manifest[]): string[] {
  const names = objects.map((object) => `${object.apiVersion} ${nameOf(object)}`)
  return names.filter((name, index) => names.indexOf(name) !== index).map((name) => `${name}: there are two`)
}

if (import.meta.main) {
  const given = process.argv.slice(2).map((folder) => resolve(folder))
  const folders = given.length > 0 ? given : readdirSync(OVERLAYS).map((name) => join(OVERLAYS, name))

  for (const folder of folders) {
    const objects = renderDeployment(folder)
    const problems = problemsOf(objects)
    const kinds = new Set(objects.map(({ kind }) => kind)).size
    console.log(`${basename(folder)}: ${objects.length} objects of ${kinds} kinds, ${problems.length} problems`)
    for (const { rule, problem } of problems) console.error(`  - ${problem} (${rule})`)
    if (problems.length > 0 || objects.length === 0) process.exitCode = 1
  }
  console.log(['Rules:', ...Object.keys(RULES)].join('\n  - '))
}
