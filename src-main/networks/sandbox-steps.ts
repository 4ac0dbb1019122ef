/** A new user's first three steps on the sandbox, through the same clients as the real service. */
import type { Parsed } from '../../src-preload/contract/routes.ts'
import type { SandboxSteps } from '../../src-preload/contract/sandbox.ts'
import { sandboxCodes } from '../../src-preload/domain/error-codes.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import type { SandboxClient } from '../gateway/sandbox.ts'
import type { WebhooksClient } from '../gateway/webhooks.ts'

type StepsDeps = {
  readonly webhooks: WebhooksClient
  readonly control: SandboxClient
  readonly receiver: { readonly url: string; readonly isListening: boolean }
}

type Step = Parsed<'sandbox.doStep'>['step']

const watchedWallet = 'merchant'
const payer = 'wallet-1'
const oneTon = '1000000000'

export async function readSteps(deps: StepsDeps): Promise<SandboxSteps> {
  const nothingYet: SandboxSteps = { webhook: null, account: null, delivered: false }
  const { url } = deps.receiver
  const found = (await deps.webhooks.list()).find(({ endpoint }) => endpoint === url)
  if (found === undefined) return nothingYet
  const webhook = { id: Number(found.id), endpoint: found.endpoint }
  const [subscriptions, { wallets }] = await Promise.all([
    deps.webhooks.subscriptions(found.id),
    deps.control.call('sandbox.chain', { network: 'mainnet' }),
  ])
  const watched = subscriptions.flatMap((subscription) => {
    const wallet = wallets.find(({ address }) => address === subscription.account)
    return wallet === undefined ? [] : [{ wallet, subscription }]
  })
  const chosen = watched.find(({ wallet }) => wallet.name === watchedWallet) ?? watched[0]
  if (chosen === undefined) return { ...nothingYet, webhook }
  const { name, address } = chosen.wallet
  return {
    webhook,
    account: { name, address },
    delivered: watched.some(({ subscription }) => subscription.lastDeliveredLt !== '0'),
  }
}

/** A completed step is not repeated, except that a payment is always sent. */
export async function doStep(deps: StepsDeps, step: Step): Promise<SandboxSteps> {
  const { webhooks, control, receiver } = deps
  if (!receiver.isListening) {
    throw notYet('The receiver is not listening, so it cannot receive deliveries. Start it first.')
  }
  const before = await readSteps(deps)
  switch (step) {
    case 'webhook':
      if (before.webhook === null) await webhooks.create(receiver.url)
      break
    case 'account': {
      if (before.webhook === null) throw notYet('Create the webhook first.')
      if (before.account !== null) break
      const { wallets } = await control.call('sandbox.chain', { network: 'mainnet' })
      const wallet = wallets.find(({ name }) => name === watchedWallet) ?? wallets[0]
      if (wallet === undefined) throw notYet('The sandbox has no wallet.')
      await webhooks.subscribeAccounts(String(before.webhook.id), [wallet.address])
      break
    }
    case 'payment':
      if (before.account === null) throw notYet('Subscribe a wallet first.')
      await control.call('sandbox.send', {
        network: 'mainnet',
        from: payer,
        to: before.account.address,
        amount: oneTon,
        currency: 'TON',
        comment: 'My first payment',
      })
  }
  return readSteps(deps)
}

function notYet(message: string): AppError {
  return new AppError(sandboxCodes.stepNotYet, message)
}
