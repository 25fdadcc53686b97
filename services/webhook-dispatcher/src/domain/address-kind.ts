/** Why an address is not public, in the words that merchants see. */
export const ADDRESS_KINDS = [
  'loopback',
  'unspecified',
  'private',
  'link_local',
  'carrier_grade_nat',
  'metadata',
  'multicast',
  'broadcast',
  'reserved',
  'embedded_ipv4',
  'private_name',
  'not_an_address',
] as const
export type AddressKind = (typeof ADDRESS_KINDS)[number]
