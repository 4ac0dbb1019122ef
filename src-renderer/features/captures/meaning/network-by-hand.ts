import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import { attempt } from '../../../app/attempt.ts'
import { request } from '../../../app/bridge.ts'
import { formatCount } from '../../../ui/format.ts'
import { announce } from '../../../ui/live-region.tsx'

/** By a person's word whose deliveries these are; null leaves it to what tells of it. */
export async function setNetworkByHand(
  ids: readonly number[],
  network: NetworkId | null,
): Promise<void> {
  await attempt('Could not set the network', async () => {
    await request('meaning.setNetwork', { ids: [...ids], network })
    announce(`Network of ${formatCount(ids.length, 'capture')} set`)
  })
}
