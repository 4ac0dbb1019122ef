/** Tests each root of a network with one request that changes nothing, and describes the result. */
import { z } from 'zod'
import { type GatewayRoot, gatewayRoot } from '../../src-preload/contract/traffic.ts'
import type { Network, NetworkCheck } from '../../src-preload/contract/network.ts'
import { AppError, networkCodes, gatewayCodes } from '../../src-preload/domain/app-error.ts'
import type { Http } from '../gateway/http.ts'
import type { Endpoint } from './endpoint.ts'

const backoffMs = 10_000

/** The probe requests a single invoice, because some gateways require more than a token for the list. */
const probes: Readonly<Record<GatewayRoot, { path: string; answer: z.ZodType }>> = {
  query: { path: '/v2/status', answer: z.object({ rest_online: z.boolean() }) },
  webhooks: { path: '/webhooks', answer: z.object({ webhooks: z.array(z.unknown()) }) },
  invoices: { path: '/api/v1/services/invoices/00000000', answer: z.object({ id: z.string() }) },
}

/** Never throws: a failure is an outcome of the check. */
export function checkNetwork(
  network: Network,
  http: Http,
  endpoint: (root: GatewayRoot) => Endpoint,
): Promise<NetworkCheck[]> {
  return Promise.all(
    gatewayRoot.options.map((root) => checkRoot(network, http, root, () => endpoint(root))),
  )
}

async function checkRoot(
  network: Network,
  http: Http,
  root: GatewayRoot,
  endpoint: () => Endpoint,
): Promise<NetworkCheck> {
  if (root === 'invoices' && network.urls?.console === null) {
    return {
      root,
      outcome: 'absent',
      message: `${network.name} has no URL for invoices.`,
      milliseconds: null,
      perSecond: null,
    }
  }
  let key: string | null = null
  let rate: number | null = null
  const began = performance.now()
  const result = (outcome: NetworkCheck['outcome'], message: string): NetworkCheck => {
    const milliseconds = Math.round(performance.now() - began)
    return { root, outcome, message, milliseconds, perSecond: rate }
  }
  try {
    const { perSecond, ...target } = endpoint()
    key = target.key
    // The request bypasses the queue, because a user waits for it.
    const client = http.client({ ...target, timeoutMs: backoffMs })
    const onRate = (stated: number | null) => (rate = stated)
    await client.call({ ...probes[root], isIdempotent: false, onRate })
    if (key !== null || perSecond === null) return result('ok', 'Works.')
    return result('no-key', 'Works without a key: one request every 4 seconds. Add a key for more.')
  } catch (error) {
    return explain(error, { root, key, name: network.name }, result)
  }
}

function explain(
  error: unknown,
  { root, key, name }: { root: GatewayRoot; key: string | null; name: string },
  result: (outcome: NetworkCheck['outcome'], message: string) => NetworkCheck,
): NetworkCheck {
  const { code, message, data } = asAppError(error)
  const { status, retryAfterMs } = (data ?? {}) as { status?: number; retryAfterMs?: number }
  const isInvoices = root === 'invoices'
  switch (code) {
    case gatewayCodes.notFound:
      // The gateway checks the token before it looks for the invoice, so a missing invoice proves the token.
      return isInvoices && key !== null
        ? result('ok', 'Works.')
        : result('unexpected', `${message} ${noSuchApi[root]}`)
    case gatewayCodes.keyRefused:
      return key === null
        ? result('no-key', `The gateway requires ${isInvoices ? 'a token' : 'a key'}. Add one.`)
        : result(
            'wrong-key',
            `${message} Copy a ${isInvoices ? 'token' : 'key'} for ${name} from the console and replace this one.`,
          )
    case gatewayCodes.forbidden:
      return result('no-capability', `${message} ${wayToCapability[root]}`)
    case gatewayCodes.rateLimited:
      return result(
        'limited',
        retryAfterMs === undefined
          ? `${message} Wait a moment and test again.`
          : `${message} The gateway requires a pause of ${Math.ceil(retryAfterMs / 1000)} s.`,
      )
    case networkCodes.wrongKind:
      return result('wrong-key', message)
    case gatewayCodes.unreachable:
    case gatewayCodes.timeout:
    case networkCodes.unavailable:
      return result('unreachable', message)
    default:
      return status === 501 && root === 'webhooks'
        ? result('no-capability', `${message} ${wayToCapability.webhooks}`)
        : result('unexpected', message)
  }
}

const wayToCapability: Readonly<Record<GatewayRoot, string>> = {
  query: 'Check the capabilities and the allowed addresses of this key in the console.',
  webhooks: 'Give the key the webhooks capability in the console.',
  invoices: 'Request access to invoices in the console.',
}

const noSuchApi: Readonly<Record<GatewayRoot, string>> = {
  query: 'Either the URL is wrong, or this gateway has no query API.',
  webhooks: 'Either the URL is wrong, or this gateway has no webhooks API: then it cannot deliver.',
  invoices: 'Either the URL is wrong, or this gateway has no invoices API.',
}

function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  return new AppError(gatewayCodes.badAnswer, 'The request could not be sent.', { cause: error })
}
