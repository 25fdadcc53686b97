import { mongo } from 'mongoose'
import type { World } from '../kernel/world.ts'

/** A new id as the server makes one, from the world's clock and randomness alone. */
export function newObjectId(world: World): mongo.ObjectId {
  const seconds = Math.floor(world.now() / 1000)
  const random = Array.from({ length: 8 }, () => Math.floor(world.random() * 256))
  const bytes = Buffer.alloc(12)
  bytes.writeUInt32BE(seconds, 0)
  Buffer.from(random).copy(bytes, 4)
  return new mongo.ObjectId(bytes)
}
