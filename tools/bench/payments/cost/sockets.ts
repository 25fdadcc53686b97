/** A connection or a listener of this machine, as `ss` (iproute2) shows it. */
export interface Socket {
  readonly localPort: number
  readonly peerPort: number
  readonly pid: number
  /** Bytes that the other end has acknowledged, and bytes that came from it; what is around them on the wire is not in it. */
  readonly sentBytes: number
  readonly receivedBytes: number
}

/** Of `ss` with `--tcp --info --numeric --processes --no-header --oneline`. */
export function parseSockets(text: string): Socket[] {
  return text.split('\n').flatMap((line) => {
    const [local, peer] = line.match(/\S+:(?:\d+|\*)(?=\s)/gu) ?? []
    if (local === undefined || peer === undefined) return []
    return {
      localPort: portOf(local),
      peerPort: portOf(peer),
      pid: numberAfter(line, 'pid='),
      sentBytes: numberAfter(line, ' bytes_acked:'),
      receivedBytes: numberAfter(line, ' bytes_received:'),
    }
  })
}

function portOf(address: string): number {
  return Number(address.slice(address.lastIndexOf(':') + 1)) || 0
}

/** Zero where there is none: `ss` leaves out what is zero. */
function numberAfter(line: string, what: string): number {
  const at = line.indexOf(what)
  return at < 0 ? 0 : Number.parseInt(line.slice(at + what.length), 10)
}
