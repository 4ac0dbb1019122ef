import type { InvoiceApp } from './invoice.ts'
import { AddressError, parseAddress } from '../../ton/address.ts'
import { asEndpoint, asText, optional, readFields, required, wrong } from './fields.ts'

type AppText = Pick<InvoiceApp, 'name' | 'description' | 'recipient'>

export type AppForm = AppText & { readonly webhooks: readonly string[] }

/** Each change of an invoice goes to all of them. */
export const maxWebhooks = 20

/** @throws HttpProblem 400, as do all of these */
export function readAppForm(body: unknown): AppForm {
  const fields = readFields(body)
  const description = optional(fields, 'description')
  const webhooks = optional(fields, 'webhooks')
  return {
    name: readName(required(fields, 'name')),
    description: description === undefined ? '' : readDescription(description),
    recipient: readRecipient(required(fields, 'recipient_address'), 'recipient_address'),
    webhooks: webhooks === undefined ? [] : readWebhooks(webhooks, 'webhooks'),
  }
}

/** Only what is to change. */
export function readAppChange(body: unknown): Partial<AppText> {
  const fields = readFields(body)
  const name = optional(fields, 'name')
  const description = optional(fields, 'description')
  const recipient = optional(fields, 'recipient_address')
  if (name === undefined && description === undefined && recipient === undefined) {
    throw wrong('the body', 'must have name, description or recipient_address')
  }
  return {
    ...(name === undefined ? {} : { name: readName(name) }),
    ...(description === undefined ? {} : { description: readDescription(description) }),
    ...(recipient === undefined
      ? {}
      : { recipient: readRecipient(recipient, 'recipient_address') }),
  }
}

export function readWebhook(body: unknown): string {
  return asEndpoint(required(readFields(body), 'webhook'), 'webhook')
}

export function readWebhooks(value: unknown, name: string): readonly string[] {
  if (!Array.isArray(value)) throw wrong(name, 'must be an array of URLs')
  if (value.length > maxWebhooks) throw wrong(name, `must have at most ${maxWebhooks} URLs`)
  const urls = value.map((url, index) => asEndpoint(url, `${name}[${index}]`))
  if (new Set(urls).size < urls.length) throw wrong(name, 'must not have a URL twice')
  return urls
}

/** Any form of a main network's address. @returns raw */
export function readRecipient(value: unknown, name: string): string {
  const text = asText(value, name, { most: 128 })
  try {
    const { raw, isTestOnly } = parseAddress(text)
    if (isTestOnly) throw wrong(name, `${text} is of a test network; invoices are of the main one`)
    return raw
  } catch (error) {
    if (error instanceof AddressError) throw wrong(name, `is no address: ${error.message}`)
    throw error
  }
}

function readName(value: unknown): string {
  return asText(value, 'name', { least: 3, most: 64 })
}

function readDescription(value: unknown): string {
  return asText(value, 'description', { most: 255 })
}
