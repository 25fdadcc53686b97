/** A line of Prometheus' text format that is no comment. */
export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const LINE = /^(?<name>\w+)(?:\{(?<labels>.*)\})? (?<value>\S+)$/gmu
const LABEL = /(?<name>\w+)="(?<value>(?:[^"\\]|\\.)*)"/gu

export function parseMetrics(text: string): Sample[] {
  return [...text.matchAll(LINE)].map(({ groups = {} }) => ({
    name: groups['name'] ?? '',
    labels: Object.fromEntries(
      [...(groups['labels'] ?? '').matchAll(LABEL)].map(({ groups: label = {} }) => [label['name'] ?? '', label['value'] ?? '']),
    ),
    value: Number(groups['value']),
  }))
}

/** The samples of one metric, summed by the label. */
export function sumBy(samples: readonly Sample[], metric: string, label: string): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const { name, labels, value } of samples) {
    const key = labels[label]
    if (name === metric && key !== undefined) sums[key] = (sums[key] ?? 0) + value
  }
  return sums
}
