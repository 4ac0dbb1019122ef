import { create } from 'zustand'
import type { Output } from '../../../src-preload/contract/routes.ts'
import type { TestDelivery } from '../../../src-preload/contract/tunnel.ts'
import { attempt, request } from '../../app/bridge.ts'
import { captureHref } from '../../app/route.ts'
import { UntrustedText } from '../../components/body/untrusted-text.tsx'
import { Hint, Row, Section, Stack, Tag, Text } from '../../ui/layout.tsx'
import { Button } from '../../ui/button.tsx'
import { formatCount, formatDuration, shortenReceiverUrl } from '../../ui/format.ts'
import { announce } from '../../ui/toast.tsx'
import { type TableColumn, Table } from '../../ui/table.tsx'

/** Stays while the user looks at the captures that the deliveries became. */
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

/** Sample deliveries of each event type, sent as the gateway would send them. */
export function TestDeliveries({ hasPublicUrl }: { hasPublicUrl: boolean }) {
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
  {
    name: 'Event',
    wraps: true,
    cell: ({ kind, problem }) => (
      <>
        <code>{kind}</code>
        {problem !== null && (
          <Text as="p" tone="bad" size="s">
            <UntrustedText text={problem} />
          </Text>
        )}
      </>
    ),
  },
  { name: 'Token', width: 60, cell: ({ auth }) => tokenWords[auth] },
  {
    name: 'Response',
    width: 110,
    cell: ({ ok, status, expected }) => (
      <Tag tone={ok ? 'ok' : 'bad'}>
        {status ?? 'none'}
        {!ok && `, expected ${expected}`}
      </Tag>
    ),
  },
  {
    name: 'Duration',
    width: 70,
    look: 'number',
    cell: ({ durationUs }) => (durationUs === 0 ? '' : formatDuration(durationUs)),
  },
  {
    name: 'Capture',
    width: 70,
    look: 'number',
    cell: ({ capture }) =>
      capture === null ? (
        <Text tone="faint">none</Text>
      ) : (
        <a href={captureHref(capture)}>{capture}</a>
      ),
  },
]
