/** The rules that tests prove (rules.yaml): what the specification and the design promise, in the order of the page. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { compile, type FromSchema } from '@gateway/contracts'

const ruleSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['id', 'text'],
  properties: {
    /** How a test names it, such as `webhooks/only-200-acknowledges`. */
    id: { type: 'string' },
    text: { type: 'string' },
    /** Why no test can prove it. Without this, at least one test must. */
    untested: { type: 'string' },
  },
} as const
const sectionsSchema = {
  type: 'array',
  items: {
    type: 'object',
    additionalProperties: false,
    required: ['title', 'level'],
    /** Level 2 is a chapter, level 3 a part of one. */
    properties: { title: { type: 'string' }, level: { enum: [2, 3] }, rules: { type: 'array', items: ruleSchema } },
  },
} as const

export type Section = FromSchema<typeof sectionsSchema>[number]
const sections = compile(sectionsSchema)

/** Reads rules.yaml. Throws when it has another form or an id is used twice. */
export function readRules(): readonly Section[] {
  const read = sections.parse(parse(readFileSync(join(import.meta.dirname, 'rules.yaml'), 'utf8')))
  const ids = read.flatMap(({ rules = [] }) => rules.map(({ id }) => id))
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index)
  if (twice.length > 0) throw new Error(`rules.yaml: used twice: ${twice.join(', ')}`)
  return read
}
