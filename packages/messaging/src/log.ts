/** The part of a structured logger that messaging needs; a winston logger fits. */
export interface Log {
  info(message: string, fields: Record<string, unknown>): unknown
  warn(message: string, fields: Record<string, unknown>): unknown
  error(message: string, fields: Record<string, unknown>): unknown
}
