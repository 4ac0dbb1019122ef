import type { StoredSecret, Network, SecretSlot } from '../../src-preload/contract/network.ts'
import { confirmAndRun, request, useData } from '../app/bridge.ts'
import { routeHref } from '../app/route.ts'
import { useForm } from '../app/use-form.ts'
import { Button } from '../ui/button.tsx'
import { useOpener } from '../ui/dialog.tsx'
import { showToast } from '../ui/toast.tsx'
import { Form, TextField } from '../ui/form.tsx'
import { fromMs } from '../ui/format.ts'
import { Row, Stack, Tag, Text } from '../ui/layout.tsx'
import { Moment } from '../ui/time.tsx'

export const secretNames: Readonly<Record<SecretSlot, string>> = {
  api: 'API key',
  invoices: 'Invoices API token',
}

const absent: Readonly<Record<SecretSlot, string>> = {
  api: 'Not set (0.25 requests per second, no webhooks)',
  invoices: 'Not set (no invoices)',
}

/** Shows a secret of a network: its last four characters, and buttons that add, replace and remove it. */
export function NetworkSecret({
  network,
  slot,
  isOpenWhileAbsent = false,
}: {
  network: Network
  slot: SecretSlot
  /** True to show the field instead of the button while there is no secret. */
  isOpenWhileAbsent?: boolean
}) {
  const { isOpen, setOpen, button } = useOpener()
  const place = useData('secrets.state').data?.place
  const canKeep = place !== undefined && place !== 'none'
  const kept = network.secrets[slot]
  const isAwaited = isOpenWhileAbsent && kept === null && canKeep
  const what = `the ${secretNames[slot]} of ${network.name}`
  return (
    <Stack>
      <Row wrap>
        {kept === null ? <Text tone="dim">{absent[slot]}</Text> : <Stored kept={kept} />}
        {!isOpen && !isAwaited && (
          <Button
            ref={button}
            aria-label={`${kept === null ? 'Add' : 'Replace'} ${what}`}
            aria-disabled={!canKeep}
            onClick={() => canKeep && setOpen(true)}
          >
            {kept === null ? 'Add' : 'Replace'}
          </Button>
        )}
        {kept !== null && !isOpen && (
          <Button
            kind="quiet"
            aria-label={`Remove ${what}…`}
            onClick={() => void removeSecret(network, slot)}
          >
            Remove…
          </Button>
        )}
        {place === 'none' && (
          <a href={routeHref({ page: 'settings', section: 'networks' })}>
            Choose where API keys and tokens are stored
          </a>
        )}
      </Row>
      {isOpen && <SecretForm network={network} slot={slot} onClose={() => setOpen(false)} />}
      {isAwaited && !isOpen && <SecretForm network={network} slot={slot} />}
    </Stack>
  )
}

function Stored({ kept: { hint, addedAt, present, givenFor } }: { kept: StoredSecret }) {
  return (
    <>
      <Text mono>…{hint}</Text>
      {!present && (
        <Tag
          tone="warn"
          title={
            givenFor === undefined
              ? 'This secret is no longer in the keychain. Another program deleted it, or it was stored for one session only.'
              : `Tondesk does not send this secret to the URLs above, because you added it for ${givenFor.join(', ') || 'other URLs'}. Enter the secret again if you trust the URLs above.`
          }
        >
          {givenFor === undefined ? 'lost: add it again' : 'not sent: the URLs changed'}
        </Tag>
      )}
      <Text tone="dim">
        added <Moment at={fromMs(addedAt)} />
      </Text>
    </>
  )
}

function SecretForm({
  network: { id, name },
  slot,
  onClose,
}: {
  network: Network
  slot: SecretSlot
  /** Undefined if the field stays open. */
  onClose?: () => void
}) {
  const what = `${secretNames[slot]} of ${name}`
  const form = useForm({ secret: '' }, async ({ secret }) => {
    await request('network.setSecret', { id, slot, secret })
    showToast({ title: `${what} saved` })
    onClose?.()
  })
  return (
    <Form inline form={{ ...form, problem: null }} action="Save" onCancel={onClose}>
      <TextField
        label={`New ${what}`}
        type="password"
        autoComplete="off"
        mono
        autoFocus={onClose !== undefined}
        {...form.field('secret')}
        error={form.errors['secret'] ?? form.problem ?? undefined}
      />
    </Form>
  )
}

async function removeSecret({ id, name, secrets }: Network, slot: SecretSlot): Promise<void> {
  const what = `${secretNames[slot]} of ${name}`
  const done = await confirmAndRun({
    title: `Remove the ${what}?`,
    detail: `The ${secretNames[slot]} that ends in ${secrets[slot]?.hint ?? ''} is deleted from this computer. It stays valid at the gateway.`,
    action: 'Remove',
    failure: `Could not remove the ${what}`,
    run: () => request('network.removeSecret', { id, slot }),
  })
  if (done !== undefined) showToast({ title: `${what} removed` })
}
