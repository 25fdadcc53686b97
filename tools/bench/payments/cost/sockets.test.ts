import { parseSockets } from './sockets.ts'

const CONNECTION = `0      0      127.0.0.1:46262 [::ffff:127.0.0.1]:21320 users:(("node",pid=19137,fd=8)) bbr wscale:10,10 rto:204 rtt:0.15/0.097 mss:55808 bytes_sent:81780 bytes_acked:81775 bytes_received:616 segs_out:47`
const NEW = `0      0      127.0.0.1:46264 127.0.0.1:21320 users:(("node",pid=19137,fd=9)) cubic rto:204`
const LISTENER = `0      4096   127.0.0.1:21320 0.0.0.0:*    users:(("postgres",pid=7,fd=6)) cubic cwnd:10`

test('ports, process and bytes of each socket are read', () => {
  expect(parseSockets(`${CONNECTION}\n${NEW}\n${LISTENER}\n`)).toEqual([
    { localPort: 46262, peerPort: 21320, pid: 19137, sentBytes: 81775, receivedBytes: 616 },
    { localPort: 46264, peerPort: 21320, pid: 19137, sentBytes: 0, receivedBytes: 0 },
    { localPort: 21320, peerPort: 0, pid: 7, sentBytes: 0, receivedBytes: 0 },
  ])
})
