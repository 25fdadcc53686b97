import { engineFolder, engineFolders } from './left-engines.ts'

const MOUNTS = `/dev/vda / ext4 rw,relatime 0 0
proc /proc proc rw,nosuid 0 0
/dev/vda /srv/one/.local/gw-engine/data ext4 rw 0 0
overlay /srv/one/.local/gw-engine/data/overlay2/b0a995/merged overlay rw,lowerdir=/srv/three/.local/gw-engine/data/overlay2/l/QD3P 0 0
nsfs /srv/one/.local/gw-engine/exec/netns/c0ed9aaa07df nsfs rw 0 0
nsfs /srv/two/.local/gw-engine/exec/netns/331ec723efee nsfs rw 0 0
/dev/vda /srv/four/.local/gw-engine/data ext4 rw 0 0
nsfs /run/docker/netns/331ec723efee nsfs rw 0 0
overlay /var/lib/docker/overlay2/b0a995/merged overlay rw 0 0
tmpfs /srv/gw-engine/cache tmpfs rw 0 0
tmpfs /srv/engine/data tmpfs rw 0 0
`

test('engines that were left are known by what they still have mounted, and no other engine is', () => {
  expect(engineFolders(MOUNTS)).toEqual(['one', 'two', 'four'].map((clone) => engineFolder(`/srv/${clone}/.local`)))
  expect(engineFolders('')).toEqual([])
})
