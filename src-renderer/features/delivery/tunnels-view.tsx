import type { TunnelState, TestDelivery } from '../../../src-preload/contract/tunnel.ts'
import { attempt, request, put, useData } from '../../app/bridge.ts'
import { openDialog } from '../../app/features.tsx'
import { TunnelSetup } from '../../components/delivery/tunnel-setup.tsx'
import { checkTunnel } from '../../components/delivery/tunnel.tsx'
import { NetworkTag } from '../../components/network-tag.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { formatCount, formatDuration, shortenReceiverUrl } from '../../ui/format.ts'
import { useShortcuts } from '../../ui/keyboard.ts'
import { Note, Row, Stack, Text, Hint, Section, Tag } from '../../ui/layout.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { create } from 'zustand'
import type { Output } from '../../../src-preload/contract/routes.ts'
import { captureHref } from '../../app/route.ts'
import { UntrustedText } from '../../components/body/untrusted-text.tsx'
import { announce } from '../../ui/toast.tsx'
import { type TableColumn, Table, column } from '../../ui/table.tsx'

/** Shows the public URL of the receiver, whether it works, and how to get one. */
export function TunnelsView() {
  useShortcuts([
    { keys: ['c'], label: 'Check the tunnel', group: 'Tunnels', run: () => void checkTunnel() },
  ])
  return (
    <Loaded query={useData('tunnel.state')} of="the tunnels" rows={8}>
      {(state) => (
        <Stack gap="none" fill scroll tabIndex={0} role="region" aria-label="Tunnels">
          {state.former !== null && <FormerUrl former={state.former} />}
          <TunnelSetup state={state} shortcut="c">
            <TestDeliveries hasPublicUrl={state.publicUrl !== null} />
          </TunnelSetup>
        </Stack>
      )}
    </Loaded>
  )
}

/** Lists webhooks that still use the previous public URL, so that their deliveries no longer arrive. */
function FormerUrl({ former }: { former: NonNullable<TunnelState['former']> }) {
  const { publicUrl, webhooks } = former
  const forget = async () => {
    const state = await attempt('Could not hide the webhooks', () =>
      request('tunnel.forgetPrevious'),
    )
    if (state !== undefined) put('tunnel.state', undefined, state)
  }
  return (
    <Note tone="warn">
      <Stack role="status" aria-label="Webhooks with the previous URL">
        <Row>
          <span>
            {formatCount(webhooks.length, 'webhook')} still {webhooks.length === 1 ? 'uses' : 'use'}{' '}
            the previous URL, <Text mono>{publicUrl}</Text>.
          </span>
          <Row last>
            <IconButton
              icon="close"
              label="Hide this list and leave the webhooks unchanged"
              onClick={() => void forget()}
            />
          </Row>
        </Row>
        {webhooks.map(({ network, webhook }) => (
          <FormerWebhook key={`${network} ${webhook}`} network={network} id={webhook} />
        ))}
      </Stack>
    </Note>
  )
}

function FormerWebhook({ network, id }: { network: string; id: string }) {
  const list = useData('webhook.list', { network }).data
  const webhook = list?.webhooks.find((each) => each.id === id)
  return (
    <Row>
      <NetworkTag id={network} /> Webhook {id}
      <Button
        disabled={webhook === undefined}
        onClick={() => webhook !== undefined && openDialog('moveWebhook', webhook)}
      >
        Move webhook…
      </Button>
    </Row>
  )
}

/** The state of the test stays while the user looks at the captures that it created. */
const useTest = create<{
  readonly busy: 'public' | 'direct' | null
  readonly result: Output<'tunnel.testDelivery'> | null
}>(() => ({ busy: null, result: null }))

async function send(direct: boolean): Promise<void> {
  if (useTest.getState().busy !== null) return
  useTest.setState({ busy: direct ? 'direct' : 'public' })
  const result = await attempt('Could not send the test deliveries', () =>
    request('tunnel.testDelivery', { direct }),
  )
  useTest.setState({ busy: null })
  if (result === undefined) return
  useTest.setState({ result })
  announce(formatResult(result.deliveries))
}

function formatResult(deliveries: readonly TestDelivery[]): string {
  const failed = deliveries.filter(({ ok }) => !ok).length
  return failed === 0
    ? `all ${deliveries.length} as expected`
    : `${failed} of ${formatCount(deliveries.length, 'delivery', 'deliveries')} failed`
}

/** Sends sample deliveries of each event type, in the same form as the gateway does. */
function TestDeliveries({ hasPublicUrl }: { hasPublicUrl: boolean }) {
  const { busy, result } = useTest()
  return (
    <Section
      level={2}
      title="Test deliveries"
      actions={
        result !== null && (
          <Tag tone={result.deliveries.every(({ ok }) => ok) ? 'ok' : 'bad'}>
            {formatResult(result.deliveries)}
          </Tag>
        )
      }
    >
      <Stack>
        <Row wrap>
          {hasPublicUrl && (
            <Button
              icon="send"
              kind="main"
              busy={busy === 'public'}
              onClick={() => void send(false)}
            >
              {busy === 'public' ? 'Sending…' : 'Send through the public URL'}
            </Button>
          )}
          <Button busy={busy === 'direct'} onClick={() => void send(true)}>
            {busy === 'direct' ? 'Sending…' : 'Send directly'}
          </Button>
        </Row>
        <Hint>
          {result === null ? (
            'Tondesk sends every event type with a valid token, a wrong token and no token. Forwarding rules, invoices and statistics ignore these captures.'
          ) : (
            <>
              Sent to <Text mono>{shortenReceiverUrl(result.url)}</Text>. The valid token exists
              only for this test, so your webhook tokens stay on this computer.
            </>
          )}
        </Hint>
        {result !== null && (
          <Table
            label="Test deliveries"
            boxed
            rows={result.deliveries}
            keyOf={({ title }) => title}
            columns={columns}
          />
        )}
      </Stack>
    </Section>
  )
}

const tokenWords: Readonly<Record<TestDelivery['auth'], string>> = {
  right: 'valid',
  wrong: 'wrong',
  none: 'none',
}

const columns: readonly TableColumn<TestDelivery>[] = [
  column('Event', { wraps: true }, ({ kind, problem }) => (
    <>
      <code>{kind}</code>
      {problem !== null && (
        <Text as="p" tone="bad" size="s">
          <UntrustedText text={problem} />
        </Text>
      )}
    </>
  )),
  column('Token', { width: 60 }, ({ auth }) => tokenWords[auth]),
  column('Response', { width: 110 }, ({ ok, status, expected }) => (
    <Tag tone={ok ? 'ok' : 'bad'}>
      {status ?? 'none'}
      {!ok && `, expected ${expected}`}
    </Tag>
  )),
  column('Duration', { width: 70, look: 'number' }, ({ durationUs }) =>
    durationUs === 0 ? '' : formatDuration(durationUs),
  ),
  column('Capture', { width: 70, look: 'number' }, ({ capture }) =>
    capture === null ? (
      <Text tone="faint">none</Text>
    ) : (
      <a href={captureHref(capture)}>{capture}</a>
    ),
  ),
]
