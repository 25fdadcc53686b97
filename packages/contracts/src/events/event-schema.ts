/** Version 1 of an event: what every event has, with `data` of its own. */
export function eventSchema<const Type extends string, const Data extends object>(type: Type, data: Data) {
  return {
    $id: `event/${type}/1`,
    type: 'object',
    additionalProperties: false,
    required: ['id', 'type', 'version', 'occurred_at', 'correlation_id', 'data'],
    properties: {
      id: { type: 'string' },
      type: { const: type },
      version: { const: 1 },
      occurred_at: { type: 'string', format: 'date-time' },
      correlation_id: { type: 'string' },
      data,
    },
  } as const
}
