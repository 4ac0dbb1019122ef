import { lookup } from 'node:dns/promises'
import type { Resolve } from './guard.ts'

/** By the system, as every other program does: the hosts file, then name servers. */
export const resolveBySystem: Resolve = async (name) => {
  const found = await lookup(name, { all: true, order: 'verbatim' })
  return found.map(({ address }) => address)
}
