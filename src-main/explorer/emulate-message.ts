import type { Emulation } from '../../src-preload/contract/message.ts'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { gatewayCodes } from '../../src-preload/domain/error-codes.ts'
import type { ConsequencesAnswer, TraceNodeAnswer } from '../gateway/query-answers.ts'
import type { Asking, QueryClient } from '../gateway/query.ts'
import type { LabelsOf } from './account-refs.ts'
import type { ChainAccess } from './chain-access.ts'
import { type ExternalMessage, ordersOf, validUntilOf } from './external-message.ts'
import { explainRefusal } from './message-refusal.ts'
import { warningsOf } from './message-warnings.ts'
import { readTrace } from './read-trace.ts'
import type { TraceJettons } from './trace-jettons.ts'
import { showTrace } from './trace-view.ts'
import { assetOfJetton } from './verify-jetton-wallet.ts'

export type EmulationDeps = {
  readonly networks: ChainAccess
  readonly jettons: TraceJettons
  readonly labelsOf: (network: NetworkId, addresses: readonly string[]) => ReturnType<LabelsOf>
}

/** What would come of a message, without sending it. @throws AppError also where it would be refused */
export async function emulateMessage(
  network: NetworkId,
  message: ExternalMessage,
  { networks, jettons, labelsOf }: EmulationDeps,
): Promise<Emulation> {
  const query = networks.query(network)
  const signal = networks.interest(network)
  const { trace: answer, risk: judged, event } = await ask(query, message.base64, { signal })
  const nodes = readTrace(answer)
  const { assets } = await jettons.find(network, nodes, {
    query,
    signal,
    actions: () => Promise.resolve(event?.actions ?? []),
  })
  const { trace, name } = showTrace(nodes, {
    assetOf: (wallet) => assets.get(wallet),
    labelsOf: (addresses) => labelsOf(network, addresses),
  })
  const orders = ordersOf(message, answer[0]?.interfaces ?? [])
  const validUntil = validUntilOf(orders)
  const risk = judged && {
    ...judged,
    jettons: judged.jettons.map(({ quantity, jetton }) => ({
      asset: assetOfJetton(jetton),
      units: quantity,
    })),
  }
  return {
    network,
    messageHash: message.hash,
    destination: name(message.destination),
    validUntil,
    trace,
    risk,
    warnings: warningsOf({ network: networks.info(network), nodes, orders, risk, validUntil }),
  }
}

type Consequences = {
  readonly trace: readonly TraceNodeAnswer[]
  readonly risk: ConsequencesAnswer['risk'] | null
  readonly event: Pick<ConsequencesAnswer['event'], 'actions'> | null
}

/** As a wallet's message; what the gateway does not take for one, as any contract's. */
async function ask(query: QueryClient, boc: string, asking: Asking): Promise<Consequences> {
  try {
    return await query.emulateWallet(boc, asking)
  } catch (error) {
    if (!isOfNoWallet(error)) throw explainRefusal(error)
  }
  try {
    return { trace: await query.emulateTrace(boc, asking), risk: null, event: null }
  } catch (error) {
    throw explainRefusal(error)
  }
}

/** The operation is not there, or is not for this. */
function isOfNoWallet(error: unknown): boolean {
  return (
    error instanceof AppError &&
    (error.code === gatewayCodes.refused || error.code === gatewayCodes.notFound)
  )
}
