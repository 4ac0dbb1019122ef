import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import {
  gatewayCodes,
  invoiceAccessCodes,
  invoiceCodes,
} from '../../../src-preload/domain/error-codes.ts'
import type { ApplicationResponse } from '../../gateway/invoice-responses.ts'
import type { InvoicesClient } from '../../gateway/invoices.ts'
import type { ApplicationIds, InvoicesContext } from '../context.ts'
import { checkToken, requestOptions } from './steps.ts'

/** Changes the application, its webhooks and its token at the gateway. */
export function createGatewayActions(
  { access, networks }: Pick<InvoicesContext, 'access' | 'networks'>,
  secrets: {
    whenRead(): Promise<unknown>
    get(network: NetworkId, slot: 'invoices'): string | null
  },
  ids: ApplicationIds,
) {
  /** Networks whose token may not change the application. */
  const unmanaged = new Set<NetworkId>()

  const isSandbox = (network: NetworkId) => access.info(network).kind === 'sandbox'

  function consoleOf(network: NetworkId): string {
    const url = networks.state().networks.find(({ id }) => id === network)?.urls?.console ?? null
    return (url === null ? null : URL.parse(url)?.host) ?? 'the console'
  }

  /** @throws AppError INVOICE_ACCESS_NOT_HERE where the user must act elsewhere, and the client's errors */
  async function manage<T>(network: NetworkId, where: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof AppError) || isSandbox(network)) throw error
      const { status } = (error.data ?? {}) as { status?: number }
      if (![401, 403, 404, 405, 501].includes(status ?? 0)) throw error
      if (status === 401 || status === 403) unmanaged.add(network)
      const message = `${error.message} The token may lack the permission for this action: ${where} on ${consoleOf(network)}.`
      throw new AppError(invoiceAccessCodes.notHere, message, { cause: error })
    }
  }

  async function findApplication(network: NetworkId): Promise<ApplicationResponse | null> {
    const client = access.invoices(network)
    try {
      return await client.application(ids(network).projectId, requestOptions)
    } catch (error) {
      if (error instanceof AppError && error.code === gatewayCodes.notFound) return null
      throw error
    }
  }

  /** @throws AppError INVOICE_ACCESS_NOT_YET */
  async function applicationId(network: NetworkId): Promise<string> {
    const found = (await findApplication(network))?.id ?? ids(network).appId
    if (found !== null) return found
    const message = 'A webhook needs an application. Register the application first.'
    throw new AppError(invoiceAccessCodes.notYet, message)
  }

  async function changeWebhooks(
    network: NetworkId,
    action: 'add' | 'remove',
    change: (client: InvoicesClient, application: string) => Promise<unknown>,
  ): Promise<void> {
    const where = `${action} the webhook on the Overview page of the invoices section`
    await manage(network, where, async () => {
      const application = await applicationId(network)
      await change(access.invoices(network), application)
    })
  }

  /** @returns why the keychain did not store the new token; null when it did */
  async function rotateToken(network: NetworkId): Promise<string | null> {
    const client = access.invoices(network)
    if (isSandbox(network)) {
      await client.newToken(null)
      return null
    }
    await secrets.whenRead()
    if (secrets.get(network, 'invoices') === null) throw noToken(access.info(network).name)
    return networks.replaceSecret(network, 'invoices', async () => {
      try {
        const rotating = () => client.newToken(ids(network).appId)
        return await manage(network, 'regenerate the token in the invoices section', rotating)
      } catch (error) {
        throw await afterLostRotation(network, error)
      }
    })
  }

  /** The lost response may have been the only one with the new token. */
  async function afterLostRotation(network: NetworkId, error: unknown): Promise<unknown> {
    if (!(error instanceof AppError) || !lostResponses.has(error.code)) return error
    const client = access.invoices(network)
    const { token } = await checkToken(client, ids(network), requestOptions)
    if (token === 'good') return error
    const message = `${error.message} It is unknown whether a new token exists${
      token === 'refused' ? ', but the old token no longer works' : ''
    }. Open ${consoleOf(network)} and enter the token shown there.`
    return new AppError(error.code, message, { data: error.data, cause: error })
  }

  return {
    consoleOf,
    canManage: (network: NetworkId) => !unmanaged.has(network),
    async setApplication(
      network: NetworkId,
      form: Parameters<InvoicesClient['register']>[0],
    ): Promise<void> {
      const client = access.invoices(network)
      await manage(network, 'edit the application in the invoices section', async () => {
        const before = await findApplication(network)
        if (before === null) await client.register(form, ids(network).projectId)
        else await client.change(before.id, form)
      })
    },
    addWebhook: (network: NetworkId, url: string) =>
      changeWebhooks(network, 'add', (client, app) => client.addWebhook(app, url)),
    removeWebhook: (network: NetworkId, id: string) =>
      changeWebhooks(network, 'remove', (client, app) => client.removeWebhook(app, id)),
    rotateToken,
    forget: (network: NetworkId) => void unmanaged.delete(network),
  }
}

const lostResponses: ReadonlySet<string> = new Set([
  gatewayCodes.timeout,
  gatewayCodes.failed,
  gatewayCodes.unreachable,
  gatewayCodes.badAnswer,
])

export function noToken(networkName: string): AppError {
  const message = `No token is stored for ${networkName}. Add a token first.`
  return new AppError(invoiceCodes.noAccess, message)
}
