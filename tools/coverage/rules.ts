/** The rules that tests prove (rules.yaml): what the specification and the design promise, in the order of the page. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

export interface Rule {
  /** What a test names it by, such as `webhooks/only-200-acknowledges`. */
  readonly id: string
  readonly text: string
  /** Why no test can prove it; without this, at least one must. */
  readonly untested?: string
}

export interface Section {
  readonly title: string
  /** 2 for a chapter, 3 for a part of one. */
  readonly level: 2 | 3
  readonly rules: readonly Rule[]
}

/** Reads rules.yaml. Throws when it is not of the expected form or an id is used twice. */
export function readRules(file = join(import.meta.dirname, 'rules.yaml')): Section[] {
  const sections: unknown = parse(readFileSync(file, 'utf8'))
  if (!Array.isArray(sections)) throw new Error(`${file}: a list of sections is expected`)
  const read = sections.map(toSection)
  const ids = read.flatMap(({ rules }) => rules.map(({ id }) => id))
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index)
  if (twice.length > 0) throw new Error(`${file}: used twice: ${twice.join(', ')}`)
  return read
}

function toSection(section: unknown): Section {
  const { title, level, rules = [] } = fieldsOf(section)
  if (typeof title !== 'string' || (level !== 2 && level !== 3) || !Array.isArray(rules))
    throw new Error(`rules.yaml: a section needs title, level (2 or 3) and rules: ${JSON.stringify(section)}`)
  return { title, level, rules: rules.map(toRule) }
}

function toRule(rule: unknown): Rule {
  const { id, text, untested } = fieldsOf(rule)
  if (typeof id !== 'string' || typeof text !== 'string')
    throw new Error(`rules.yaml: a rule needs id and text: ${JSON.stringify(rule)}`)
  return typeof untested === 'string' ? { id, text, untested } : { id, text }
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
