/** Finds a tunnel to the receiver or lets the user enter its public URL, and checks that URL. */
import { type ReactNode, useEffect } from 'react'
import type { FoundTunnel, TunnelCheck, TunnelState } from '../../../src-preload/contract/tunnel.ts'
import { changeSettings } from '../../app/app-settings.ts'
import { attempt, request, put, useData } from '../../app/bridge.ts'
import { publicReceiverUrl } from '../../app/public-receiver-url.ts'
import { startReceiver } from '../../app/receiver-state.ts'
import { useForm } from '../../app/use-form.ts'
import { Button } from '../../ui/button.tsx'
import { Form, TextField } from '../../ui/form.tsx'
import { formatCount, formatDuration, shortenReceiverUrl } from '../../ui/format.ts'
import { Icon } from '../../ui/icons.tsx'
import {
  Columns,
  Fold,
  Hint,
  Kbd,
  Row,
  Section,
  Stack,
  Tag,
  Text,
  Small,
} from '../../ui/layout.tsx'
import { Moment } from '../../ui/time.tsx'
import { KeyValues } from '../../ui/values.tsx'
import { Table, column } from '../../ui/table.tsx'
import { CopyButton, announce, showToast } from '../../ui/toast.tsx'
import { Cause } from '../cause.tsx'
import { UntrustedText } from '../body/untrusted-text.tsx'
import { announceCheck, changeTunnel, checkTunnel, useTunnelWork } from './tunnel.tsx'

/** While the component is visible, a newly started tunnel appears automatically. */
const lookEveryMs = 10_000

export function TunnelSetup({
  state,
  shortcut,
  children,
}: {
  state: TunnelState
  /** The key that starts the check. */
  shortcut?: string
  /** Content below the check. */
  children?: ReactNode
}) {
  useEffect(() => {
    // The list of requested addresses shows a failure.
    const look = () =>
      request('tunnel.detect').then(
        (found) => put('tunnel.state', undefined, found),
        () => undefined,
      )
    void look()
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void look()
    }, lookEveryMs)
    return () => clearInterval(timer)
  }, [])
  return (
    <>
      {state.check?.ok === false && <TunnelCause check={state.check} />}
      <Columns least={420}>
        <div>
          <PublicUrl key={state.publicUrl} state={state} />
          <Check state={state} shortcut={shortcut} />
          {children}
        </div>
        <div>
          <Found state={state} />
          <Instructions />
        </div>
      </Columns>
    </>
  )
}

/** The steps of the check, as far as they came, are below. */
function TunnelCause({ check: { url, at, problem } }: { check: TunnelCheck }) {
  return (
    <Cause
      level={2}
      sentence={problem ?? `${URL.parse(url)?.host ?? url} does not lead to this receiver.`}
      action={
        <Button kind="main" icon="refresh" onClick={() => void checkTunnel()}>
          Check again
        </Button>
      }
      pairs={[
        [
          'Last request',
          <>
            GET {shortenReceiverUrl(url)}, <Moment at={at} absolute="second" />
          </>,
        ],
        ['Next attempt', 'automatically, within seconds, until a check succeeds'],
      ]}
    />
  )
}

const sourceWords = {
  none: 'not set',
  'by-hand': 'set by hand',
  found: 'set from a tunnel',
} as const

/** Shows the public URL, which was entered by hand or found at a tunnel. */
function PublicUrl({ state: { publicUrl, source, found, asked } }: { state: TunnelState }) {
  const isLost =
    source === 'found' && asked.length > 0 && !found.some((each) => each.publicUrl === publicUrl)
  const url = useData('receiver.state').data?.url ?? null
  const outside = publicReceiverUrl(publicUrl, url)
  const form = useForm({ publicUrl: publicUrl ?? '' }, async (values) => {
    const next = values.publicUrl.trim() === '' ? null : values.publicUrl.trim()
    await changeSettings({ receiver: { publicUrl: next } })
    const undo = () => changeSettings({ receiver: { publicUrl } })
    showToast({
      id: 'saved-Public URL',
      title: 'Public URL saved',
      action: { label: 'Undo', run: () => void attempt('Could not undo', undo) },
    })
    if (next !== null) void checkTunnel()
  })
  const clears = form.values.publicUrl.trim() === '' && publicUrl !== null
  return (
    <Section
      level={2}
      title="Public URL"
      actions={
        isLost ? (
          <Tag tone="warn" title="Tondesk will use the next tunnel that it finds.">
            tunnel not running
          </Tag>
        ) : (
          <Tag tone={source === 'none' ? 'plain' : 'ok'}>{sourceWords[source]}</Tag>
        )
      }
    >
      <Stack>
        <Form form={form} action={clears ? 'Clear' : 'Save and check'} label="Public URL" inline>
          <TextField
            label="Public URL"
            hideLabel
            type="url"
            mono
            placeholder="https://example.ngrok.app"
            {...form.field('publicUrl')}
            error={form.errors['receiver.publicUrl']}
          />
        </Form>
        <Hint>
          {outside === null ? (
            'The URL at which a tunnel reaches this receiver. Tondesk appends the path with the secret token.'
          ) : (
            <>
              Use this URL for webhooks: <Text mono>{outside}</Text>{' '}
              <CopyButton text={outside} what="Public URL" iconOnly kind="quiet" />
            </>
          )}
        </Hint>
        {source === 'found' && (
          <Hint>
            If the tunnel gets a new URL, Tondesk uses the new URL and offers to move your webhooks
            to it.
          </Hint>
        )}
      </Stack>
    </Section>
  )
}

/** Sends a request with a nonce through the public URL, and shows how far it came. */
function Check({
  state: { publicUrl, check },
  shortcut,
}: {
  state: TunnelState
  shortcut: string | undefined
}) {
  const isChecking = useTunnelWork(({ underWay }) => underWay.has('check'))
  const status = useData('receiver.state').data?.status
  if (publicUrl === null) return null
  return (
    <Section
      level={2}
      title="Check"
      actions={
        <Row grow>
          {check !== null && (
            <>
              <Tag tone={check.ok ? 'ok' : 'bad'}>
                {check.ok ? 'reaches this receiver' : 'does not work'}
              </Tag>
              <Small tone="faint">
                <Moment at={check.at} />
              </Small>
            </>
          )}
          <Row last>
            {status === 'stopped' || status === 'failed' ? (
              <Button kind="main" icon="play" onClick={() => void startReceiver()}>
                Start the receiver
              </Button>
            ) : (
              <Button icon="refresh" busy={isChecking} onClick={() => void checkTunnel()}>
                {isChecking ? 'Checking…' : 'Check'} {shortcut && <Kbd>{shortcut}</Kbd>}
              </Button>
            )}
          </Row>
        </Row>
      }
    >
      {check === null ? (
        <Hint>
          The public URL has not been checked since Tondesk started. A check sends one request to
          the URL and waits until the receiver gets the request. Tondesk does not store the request
          as a capture.
        </Hint>
      ) : (
        <Steps check={check} />
      )}
    </Section>
  )
}

const stepWords: Readonly<Record<TunnelCheck['steps'][number]['name'], string>> = {
  resolve: 'DNS',
  connect: 'Connection',
  arrive: 'Arrival',
  answer: 'Response',
}

const stepTones = { done: 'ok', failed: 'bad', skipped: 'faint' } as const
const stepIcons = { done: 'check', failed: 'close', skipped: 'right' } as const

function Steps({ check: { steps, via } }: { check: TunnelCheck }) {
  return (
    <Stack>
      <Table<TunnelCheck['steps'][number]>
        label="Steps of the check"
        rows={steps}
        keyOf={({ name }) => name}
        columns={[
          column('Step', { width: 110 }, ({ name, state }) => (
            <Row as="span" gap="s">
              <Text tone={stepTones[state]}>
                <Icon name={stepIcons[state]} />
              </Text>
              {stepWords[name]}
            </Row>
          )),
          column('Result', { wraps: true }, ({ state, text }) => (
            <Small tone={state === 'done' ? 'dim' : stepTones[state]}>{text}</Small>
          )),
          column('Duration', { width: 70, look: 'number' }, ({ durationUs }) =>
            durationUs === null ? '' : formatDuration(durationUs),
          ),
        ]}
      />
      {via.length > 0 && (
        <Fold summary="Proxies named in the request headers">
          <KeyValues
            mono
            pairs={via.map(({ source, value }) => [
              source,
              <UntrustedText key="value" text={value} />,
            ])}
          />
        </Fold>
      )}
    </Stack>
  )
}

/** Lists the tunnels that agents on this computer report. */
function Found({ state: { found, asked, publicUrl, source } }: { state: TunnelState }) {
  const isLooking = useTunnelWork(({ underWay }) => underWay.has('look'))
  const look = async () => {
    const state = await changeTunnel('look', 'Could not look for tunnels', () =>
      request('tunnel.detect'),
    )
    if (state !== undefined) announce(`${formatCount(state.found.length, 'tunnel')} found`)
  }
  return (
    <Section
      level={2}
      title="Tunnels found on this computer"
      actions={
        <Row grow justify="end">
          <Button icon="refresh" busy={isLooking} onClick={() => void look()}>
            {isLooking ? 'Looking…' : 'Look again'}
          </Button>
        </Row>
      }
    >
      <Stack>
        {found.length === 0 && (
          <Hint>
            No ngrok or cloudflared tunnel found. Start a tunnel as described below; it then appears
            here automatically.
          </Hint>
        )}
        <Stack as="ul" gap="s">
          {found.map((tunnel) => (
            <FoundOne
              key={`${tunnel.agent} ${tunnel.publicUrl}`}
              tunnel={tunnel}
              isUsed={tunnel.publicUrl === publicUrl && source === 'found'}
            />
          ))}
        </Stack>
        <Fold
          summary={`Tondesk searched ${formatCount(asked.length, 'address', 'addresses')} for tunnels`}
        >
          <Table<TunnelState['asked'][number]>
            label="Addresses that Tondesk searched for tunnels"
            rows={asked}
            keyOf={({ address }) => address}
            columns={[
              column('Program', { width: 90 }, ({ agent }) => agent),
              column('Address', { look: 'mono' }, ({ address }) => address),
              column('Result', { wraps: true, look: 'dim' }, ({ answer }) => answer),
            ]}
          />
        </Fold>
      </Stack>
    </Section>
  )
}

function FoundOne({ tunnel, isUsed }: { tunnel: FoundTunnel; isUsed: boolean }) {
  const { agent, publicUrl, localUrl, isOurs } = tunnel
  const isTaking = useTunnelWork(({ underWay }) => underWay.has(`use ${publicUrl}`))
  const use = () =>
    changeTunnel(`use ${publicUrl}`, 'Could not use this tunnel', () =>
      request('tunnel.use', { publicUrl }),
    ).then(announceCheck)
  return (
    <Row as="li" line="box" pad="s" justify="between">
      <Stack gap="none">
        <Text mono over="break">
          {publicUrl}
        </Text>
        <Small tone="faint">
          {agent}
          {localUrl !== null && ` → ${localUrl}`}
        </Small>
      </Stack>
      {isOurs === false ? (
        <Tag tone="warn" title="This tunnel forwards to a port other than the receiver’s.">
          other port
        </Tag>
      ) : isUsed ? (
        <Tag tone="ok">in use</Tag>
      ) : (
        <Button kind="main" busy={isTaking} onClick={() => void use()}>
          {isTaking ? 'Checking…' : 'Use and check'}
        </Button>
      )}
    </Row>
  )
}

/** Explains how to start each kind of tunnel, with the command for the present port. */
function Instructions() {
  const list = useData('tunnel.instructions').data ?? []
  return (
    <Section level={2} title="Start a tunnel">
      <Stack gap="l">
        {list.map(({ agent, text, command }) => (
          <Stack key={agent} gap="xs">
            <Text as="p" strong>
              {agent}
            </Text>
            <Hint>{text}</Hint>
            <Row line="box" pad="s" justify="between">
              <Text as="code" over="break">
                {command}
              </Text>
              <CopyButton text={command} what={`Command for ${agent}`} iconOnly kind="quiet" />
            </Row>
          </Stack>
        ))}
      </Stack>
    </Section>
  )
}
