/** What the end of a daily report says about it. */
export interface ReportEnd {
  readonly asOf: string
  readonly isComplete: boolean
}

const CSV_END = /(?:^|\n)#end,[^\n]*,(\S+),(true|false)\r?\n$/u
const JSON_END = /"end":\{[^}]*"as_of":"([^"]+)","complete":(true|false)\}\}\s*$/u

/** Reads the last characters of a report; `undefined` when it was cut off. */
export function readReportEnd(text: string): ReportEnd | undefined {
  const [, asOf, complete] = CSV_END.exec(text) ?? JSON_END.exec(text) ?? []
  return asOf === undefined ? undefined : { asOf, isComplete: complete === 'true' }
}
