/** What a server's `explain` says, as far as it is looked into: FerretDB shows PostgreSQL's plan, MongoDB its own. */
export type ExplainedPlan = Readonly<Record<string, unknown>>

export type PlanVerdict = ReturnType<typeof judgePlan>

/**
 * Judges a plan by the nodes that read: each has to look into an index for something that the query asks for. `usesIndex` is false
 * when anything is read from its beginning to its end: a collection, or all entries of an index.
 */
export function judgePlan(plan: ExplainedPlan) {
  const nodes = nodesOf(plan)
  const scans = nodes.flatMap((node) => scanOf(node) ?? [])
  const indexes = [...new Set(scans.map(({ index }) => index).filter((index) => index !== undefined))]
  return { indexes, usesIndex: scans.length > 0 && scans.every(({ isBounded }) => isBounded) }
}

interface Scan {
  readonly index: string | undefined
  readonly isBounded: boolean
}

const MONGODB_INDEX_STAGES: readonly unknown[] = ['IXSCAN', 'IDHACK', 'EXPRESS_IXSCAN', 'EXPRESS_CLUSTERED_IXSCAN']

/** `undefined` for a node that reads nothing by itself, such as a sort. */
function scanOf(node: ExplainedPlan): Scan | undefined {
  const { stage, 'Node Type': type, 'Index Name': name, 'Index Cond': condition } = node
  if (stage === 'COLLSCAN') return { index: undefined, isBounded: false }
  if (MONGODB_INDEX_STAGES.includes(stage)) return { index: text(node['indexName']) ?? '_id_', isBounded: true }
  if (type === 'Seq Scan') return { index: undefined, isBounded: false }
  if (type === 'Index Scan' || type === 'Index Only Scan' || type === 'Bitmap Index Scan')
    return { index: text(name), isBounded: asksForSomething(text(condition)) }
  return undefined
}

/** Which collection it is, DocumentDB says in every condition on its primary key; that alone is all there is. */
function asksForSomething(condition: string | undefined): boolean {
  return condition !== undefined && condition.replace(/\(shard_key_value = '\d+'::bigint\)/u, '').replaceAll(/[() ]/gu, '') !== ''
}

/** Every object anywhere in the plan. */
function nodesOf(value: unknown): ExplainedPlan[] {
  if (Array.isArray(value)) return value.flatMap(nodesOf)
  if (typeof value !== 'object' || value === null) return []
  const node: ExplainedPlan = { ...value }
  return [node, ...Object.values(node).flatMap(nodesOf)]
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
