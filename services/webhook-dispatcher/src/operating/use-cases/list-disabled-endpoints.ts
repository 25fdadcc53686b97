import { type Disabled, type EndpointId, type EndpointOwner, type Endpoints, ownerOf } from '../../endpoints/index.ts'

export interface DisabledUrl extends Disabled, EndpointOwner {
  readonly url: string
  readonly failing_since: Date
}

export type ListDisabledEndpoints = ReturnType<typeof makeListDisabledEndpoints>

/** The disabled URLs, ordered by endpoint, and the endpoint after which the next page begins. `limit` counts endpoints. */
export function makeListDisabledEndpoints(endpoints: Pick<Endpoints, 'withDisabled'>) {
  return async ({ limit, after }: { limit: number; after?: EndpointId | undefined }) => {
    const found = await endpoints.withDisabled({ limit: limit + 1, after })
    const page = found.slice(0, limit)
    const disabled = page.flatMap(({ id, health }): DisabledUrl[] =>
      health.flatMap(({ url, failing_since, disabled: why }) => (why ? [{ ...ownerOf(id), url, failing_since, ...why }] : [])),
    )
    return { disabled, next: found.length > limit ? page.at(-1)?.id : undefined }
  }
}
