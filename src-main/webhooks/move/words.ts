/** Why a move waits, and what there is to do, as sentences. Pure. */
import type { WebhookMove, WebhookStatus } from '../../../src-preload/contract/webhook.ts'

type Move = Pick<WebhookMove, 'from' | 'to' | 'copied' | 'step'>

const wayOut =
  'Mend the endpoint and bring the webhook back online, or finish without them: a check for missed events can name what was lost, and rebuild it.'

export const words = {
  undelivered: (endpoint: string, accounts: number) =>
    `${accounts === 0 ? 'Events that are' : `${countOf(accounts)} an event that is`} not delivered to ${endpoint} yet. ${wayOut}`,
  notOnline: (endpoint: string, status: WebhookStatus, accounts: number) =>
    `The gateway does not deliver to ${endpoint}: the webhook is ${status}${
      accounts === 0 ? '' : `, and ${lower(countOf(accounts))} an event that was not delivered`
    }. Events may wait there that were never tried. ${wayOut}`,
  oldGone: ({ from, to, copied }: Move) =>
    to.id === null
      ? `Webhook ${from.id} was deleted elsewhere, so there is nothing left to move. Roll back.`
      : `Webhook ${from.id} was deleted elsewhere. The new one holds ${copied.toLocaleString('en')} of its accounts: finish to keep it as it is, or roll back to remove it.`,
  oldChanged: ({ from }: Move, endpoint: string) =>
    `Webhook ${from.id} delivers to ${endpoint} now, no longer to ${from.endpoint}: somebody changed it. Resume if it is still to be moved, or roll back.`,
  newGone: ({ to }: Move) =>
    `The new webhook ${to.id ?? ''} was deleted elsewhere. Resume to create another, or roll back.`,
  newChanged: ({ to }: Move, endpoint: string) =>
    `The new webhook ${to.id ?? ''} delivers to ${endpoint}, not to ${to.endpoint}: somebody changed it. Roll back, and begin another move.`,
  bothGone: ({ from, to }: Move) =>
    `Webhook ${from.id} is deleted, and the new one ${to.id ?? ''} was deleted elsewhere. Create one anew and subscribe it from a file.`,
  refused: (message: string) => `${message} Then resume, or roll back.`,
  broken: (error: unknown) =>
    `It came to a stop by a fault of Tondesk (${error instanceof Error ? error.message : String(error)}). Resume, or roll back.`,
}

function countOf(accounts: number): string {
  return accounts === 1 ? 'One account has' : `${accounts.toLocaleString('en')} accounts have`
}

function lower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}
