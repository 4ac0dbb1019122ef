/** Targets to which deliveries are forwarded and replayed, and the hosts that the user has confirmed. */
import type { ComponentProps } from 'react'
import type { TargetVerdict } from '../../../src-preload/contract/target.ts'
import { type AppError, bridgeCodes } from '../../../src-preload/domain/app-error.ts'
import { attempt, request, toAppError, reload, useData, useDataOf } from '../../app/bridge.ts'
import { createRecent } from '../../app/stored.ts'
import { readFieldErrors } from '../../app/use-form.ts'
import { shortTarget } from './forward-deliveries.tsx'
import { type Tone, Hint, Row, Stack, Tag, Text } from '../../ui/layout.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { confirm, Dialog } from '../../ui/dialog.tsx'
import { announce } from '../../ui/toast.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Switch, TextField } from '../../ui/form.tsx'
import { useSettled } from '../../ui/use-settled.ts'

/** The result of checking a URL while the user types it. */
type TargetCheck =
  | { readonly status: 'empty' | 'checking' }
  | { readonly status: 'known'; readonly verdict: TargetVerdict }
  /** The text is not a URL, or its host could not be resolved, as `why` states. */
  | { readonly status: 'unknown'; readonly why: string; readonly isInvalid: boolean }

/** Checks a target and never throws. */
export async function checkTarget(url: string): Promise<TargetCheck> {
  if (url === '') return { status: 'empty' }
  try {
    return { status: 'known', verdict: await request('target.check', { url }) }
  } catch (error) {
    return unknownTarget(toAppError(error))
  }
}

function unknownTarget(error: AppError): TargetCheck {
  const why = readFieldErrors(error)?.['url'] ?? error.message
  return { status: 'unknown', why, isInvalid: error.code === bridgeCodes.invalidInput }
}

/** Follows the user's typing, and hosts that are confirmed meanwhile. */
export function useTargetCheck(typed: string): TargetCheck {
  const url = typed.trim()
  const settled = useSettled(url)
  const { data, error, isPlaceholderData } = useDataOf(
    'target.check',
    settled === '' ? null : { url: settled },
  )
  if (url === '') return { status: 'empty' }
  if (settled !== url || isPlaceholderData) return { status: 'checking' }
  if (error !== null) return unknownTarget(error)
  return data === undefined ? { status: 'checking' } : { status: 'known', verdict: data }
}

function describeCheck(check: TargetCheck): { tone: Tone; word: string; detail: string } | null {
  if (check.status === 'unknown') {
    return { tone: 'warn', word: check.isInvalid ? 'invalid' : 'unknown', detail: check.why }
  }
  if (check.status !== 'known') return null
  const { kind, host, isConfirmed, addresses, problem } = check.verdict
  const at = addresses.length === 0 ? '' : ` (${addresses.join(', ')})`
  switch (kind) {
    case 'loopback':
      return {
        tone: 'ok',
        word: 'this computer',
        detail: `The target is on this computer${at}, so no confirmation is needed.`,
      }
    case 'refused':
      return { tone: 'bad', word: 'not allowed', detail: problem ?? refusedDetail }
    case 'public':
      return isConfirmed
        ? {
            tone: 'ok',
            word: 'confirmed',
            detail: `You confirmed that Tondesk may send data to ${host}${at}.`,
          }
        : {
            tone: 'warn',
            word: 'needs confirmation',
            detail: `${host}${at} is not this computer. Tondesk asks you before it sends data to this host.`,
          }
  }
}

export const refusedDetail = 'Tondesk never sends to this address.'

/**
 * Asks the user before anything is sent to another computer, and stores the confirmation.
 * @throws AppError
 */
export async function confirmTarget(
  { host, url, addresses }: TargetVerdict,
  what: string,
  data = 'accounts, amounts and bearer tokens',
): Promise<boolean> {
  const at = addresses.length === 0 ? '' : ` The host’s current address is ${addresses.join(', ')}.`
  const yes = await confirm({
    title: `Send to ${host}?`,
    detail: `${what} will be sent to ${url}. The data includes ${data}.${at} Tondesk remembers your confirmation of this host until you revoke the confirmation on the Forwarding page.`,
    action: `Send to ${host}`,
    destructive: true,
  })
  if (!yes) return false
  await request('target.confirm', { host })
  confirmationsChanged()
  return true
}

/**
 * Checks a URL before it is stored, and asks the user to confirm a host on another computer.
 * @returns the problem, or null
 * @throws AppError
 */
export async function confirmUrl(
  url: string,
  ...about: [what: string, data?: string]
): Promise<string | null> {
  const check = await checkTarget(url)
  if (check.status === 'unknown' && check.isInvalid) return check.why
  // A host that cannot be resolved now may be resolved later.
  if (check.status !== 'known') return null
  const { verdict } = check
  if (verdict.kind === 'refused') return verdict.problem ?? refusedDetail
  if (verdict.kind !== 'public' || verdict.isConfirmed) return null
  const yes = await confirmTarget(verdict, ...about)
  return yes ? null : `You did not confirm ${verdict.host}.`
}

function confirmationsChanged(): void {
  reload('target.confirmed')
  reload('target.check')
}

export function ConfirmedHosts({ onClose }: { onClose: () => void }) {
  return (
    <Dialog
      open
      onClose={onClose}
      title="Confirmed hosts"
      detail="Tondesk asks you once before it sends data to another computer. If you revoke the confirmation of a host, deliveries to the host wait or fail until you confirm the host again."
      buttons={<Button onClick={onClose}>Close</Button>}
    >
      <Loaded query={useData('target.confirmed')} of="the hosts" rows={2}>
        {(hosts) =>
          hosts.length === 0 ? (
            <Hint>No confirmed hosts. Nothing is sent to other computers.</Hint>
          ) : (
            <Stack as="ul" aria-label="Confirmed hosts">
              {hosts.map((host) => (
                <Row as="li" key={host} line="box" pad="s" justify="between">
                  <Text mono over="break">
                    {host}
                  </Text>
                  <Button kind="danger" onClick={() => void revoke(host)}>
                    Revoke<Text hidden> {host}</Text>
                  </Button>
                </Row>
              ))}
            </Stack>
          )
        }
      </Loaded>
    </Dialog>
  )
}

async function revoke(host: string): Promise<void> {
  const done = await attempt(`Could not revoke the confirmation of ${host}`, () =>
    request('target.forget', { host }),
  )
  if (done === undefined) return
  confirmationsChanged()
  announce(`Confirmation of ${host} revoked`)
}

/** Targets that were recently used for deliveries and replays. */
export const recentTargets = createRecent('tondesk.targets', 6)

/** Shows a field for a target's URL and the result of checking it. */
export function TargetField({
  suggestions = [],
  onRemove,
  ...field
}: Pick<ComponentProps<typeof TextField>, 'label' | 'value' | 'onChange' | 'error' | 'ref'> & {
  /** URLs that are offered below the field. */
  suggestions?: readonly string[]
  onRemove?: (() => void) | undefined
}) {
  const { label, value, error, onChange } = field
  const check = useTargetCheck(value)
  const described = error === undefined ? describeCheck(check) : null
  const offered = suggestions.filter((url) => url !== value.trim())
  return (
    <Stack gap="xs">
      <TextField
        {...field}
        mono
        type="url"
        inputMode="url"
        maxLength={2000}
        placeholder="http://localhost:3000/webhook"
        suffix={
          onRemove === undefined ? undefined : (
            <IconButton icon="close" label={`Remove ${label.toLowerCase()}`} onClick={onRemove} />
          )
        }
      />
      <Hint aria-live="polite">
        {described !== null && (
          <>
            <Tag tone={described.tone}>{described.word}</Tag> {described.detail}
          </>
        )}
        {check.status === 'checking' && 'Checking…'}
      </Hint>
      {offered.length > 0 && (
        <Row as="ul" wrap aria-label="Recent targets">
          {offered.map((url) => (
            <li key={url}>
              <Button kind="link" title={url} onClick={() => onChange(url)}>
                {shortTarget(url)}
              </Button>
            </li>
          ))}
        </Row>
      )}
    </Stack>
  )
}

type PathOptions = { readonly appendPath: boolean; readonly keepHost: boolean }

type PathSwitchesProps = { values: PathOptions; onChange: (part: Partial<PathOptions>) => void }

export function PathSwitches({ values, onChange }: PathSwitchesProps) {
  return (
    <>
      <Switch
        label="Append the request’s path to the target URL"
        hint="A request to /hook/<token>/orders is forwarded to the target’s URL with /orders at its end."
        checked={values.appendPath}
        onChange={(appendPath) => onChange({ appendPath })}
      />
      <Switch
        label="Keep the Host header"
        hint="Sends the received Host header unchanged. If off, Tondesk sends the target’s host in this header."
        checked={values.keepHost}
        onChange={(keepHost) => onChange({ keepHost })}
      />
    </>
  )
}
