import type { World } from '../kernel/kernel.ts'
import type { Chunks } from './chunks.ts'
import type { ReplicaSet } from './replica-set.ts'

const LOOK_AGAIN_MS = 10
/** A chunk whose commands do not end by then stays where it is. */
const DRAIN_WITHIN_MS = 5000

interface Move {
  readonly namespace: string
  readonly chunks: Chunks
  readonly chunk: number
  readonly from: ReplicaSet
  readonly to: ReplicaSet
  /** The number of the shard that gets it. */
  readonly owner: number
  /** Called at the end with the number of commands that waited for it. */
  readonly onEnd: (waited: number) => void
}

/**
 * Moves a chunk to another shard while commands come. Those of the chunk wait; those that are under way end first. The other shard has the
 * documents, with the answers of retryable writes, on a majority before this one gives them up.
 */
export function moveChunk(world: World, move: Move): void {
  const { namespace, chunks, chunk, from, to, owner, onEnd } = move
  if (!chunks.beginMove(chunk)) return
  const deadlineMs = world.now() + DRAIN_WITHIN_MS
  const drain = (): void => {
    const share = chunks.isBusy(chunk) ? undefined : from.committedShare(namespace, (doc) => chunks.chunkOf(doc) === chunk)
    if (share) to.write({ kind: 'came', namespace, ...share }, () => leave(share.documents.map(({ _id }) => _id)))
    else if (world.now() < deadlineMs) world.after(LOOK_AGAIN_MS, drain)
    else onEnd(chunks.endMove())
  }
  const leave = (ids: readonly unknown[]): void =>
    from.write({ kind: 'removed', namespace, ids }, () => onEnd(chunks.endMove(owner)))
  drain()
}
