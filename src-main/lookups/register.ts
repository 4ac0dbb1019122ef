import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { GatewayTraffic } from '../../src-preload/contract/traffic.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import type { EventHub } from '../bridge/events.ts'
import { type Lookup, createLookup } from './lookup.ts'
import { isRefusal } from '../explorer/jetton-wallets.ts'
import type { ExportFiles } from '../exports/export-files.ts'
import type { Asking, QueryClient } from '../gateway/query.ts'
import type { Networks } from '../networks/networks.ts'
import type { Database } from '../database/database.ts'
import type { Labels } from '../explorer/store/labels.ts'
import { createLookupJobs } from './store/lookup-jobs.ts'
import { createLookupLines } from './store/lookup-lines.ts'
import { createLookupRows } from './store/lookup-rows.ts'
import type { Values } from '../app/store/settings.ts'
import { readAddress } from '../ton/address.ts'

type LookupParts = {
  readonly database: Database
  readonly values: Values
  readonly networks: Networks
  readonly labels: Labels
  readonly files: ExportFiles
  readonly traffic: () => GatewayTraffic
  readonly events: EventHub
  readonly onBug: (error: unknown) => void
}

/** Bulk lookups, wired for `compose.ts`. */
export function composeLookup(parts: LookupParts): Lookup {
  const { database, values, networks, events } = parts
  const chunkKey = (network: string) => `lookup.chunk.${network}`
  return createLookup({
    jobs: createLookupJobs(database),
    lines: createLookupLines(database),
    rows: createLookupRows(database),
    labelsOf: (network, addresses) => parts.labels.namesOf(network, addresses),
    files: parts.files,
    bulk: async (network, addresses, options) =>
      networks.access.query(network).accountsBulk(addresses, { ...options, priority: 'job' }),
    resolveName: (network, name, { signal }) =>
      resolveName(networks.access.query(network), name, { signal, priority: 'job' }),
    isTestOnly: (network) => networks.access.info(network).testOnly,
    pausedUntil: (network) => pausedUntil(parts.traffic(), network),
    limits: {
      get: (network) => values.get(chunkKey(network), z.int().positive().nullable(), null),
      set: (network, limit) => values.set(chunkKey(network), limit),
    },
    now: Date.now,
    wait: (ms, signal) => sleep(ms, undefined, { signal }),
    onChanged: (jobs) => events.emit('lookup.changed', { jobs }),
    onRemoved: (id) => events.emit('lookup.removed', { id }),
    onBug: parts.onBug,
  })
}

/** @throws AppError as the query client does, but for a name that the gateway does not know */
async function resolveName(query: QueryClient, name: string, asking: Asking) {
  try {
    const { wallet } = await query.dnsResolve(name, asking)
    return wallet ? (readAddress(wallet.address)?.raw ?? null) : null
  } catch (error) {
    if (error instanceof AppError && isRefusal(error)) return null
    throw error
  }
}

function pausedUntil({ roots }: GatewayTraffic, network: string): number | null {
  const asked = roots.find((each) => each.network === network && each.root === 'query')
  return asked?.limit.pausedUntil ?? null
}
