/** The section that sets where incidents are reported besides the window and the desktop. */
import { useState } from 'react'
import type { AlertDestination, AlertEvent } from '../../../src-preload/contract/alert.ts'
import { attempt, confirmAndRun, patchData, request, useData } from '../../app/bridge.ts'
import { routeHref } from '../../app/route.ts'
import { NetworkTag } from '../../components/network-tag.tsx'
import { EntryButtons, SettingsSection } from '../../components/settings.tsx'
import { ActionButton, Button } from '../../ui/button.tsx'
import { useOpener } from '../../ui/dialog.tsx'
import { Switch } from '../../ui/form.tsx'
import { formatCount, fromMs } from '../../ui/format.ts'
import { Hint, Note, Row, Stack, Tag, Text } from '../../ui/layout.tsx'
import { Moment } from '../../ui/time.tsx'
import { KeyValues } from '../../ui/values.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { announce, showToast } from '../../ui/toast.tsx'
import { DestinationForm } from './destination-form.tsx'

export function AlertsSection() {
  const { isOpen, setOpen, button } = useOpener()
  const place = useData('secrets.state').data?.place
  return (
    <SettingsSection
      id="alerts"
      detail="Tondesk can report incidents to a Telegram chat, to your own server or to a program, so that you notice a problem while you are away from this computer. Each destination gets each alert once."
    >
      {place === 'none' && (
        <Note tone="warn">
          {/* A link in a paragraph is underlined. */}
          <p>
            The keychain of this system is unavailable, so Tondesk cannot store a bot token or a
            signing secret.{' '}
            <a href={routeHref({ page: 'settings', section: 'networks' })}>
              Choose where secrets are stored
            </a>
          </p>
        </Note>
      )}
      <Loaded query={useData('alert.list')} of="the destinations of alerts" rows={2}>
        {(destinations) =>
          destinations.length === 0 ? (
            <Hint>No destinations yet. Tondesk reports incidents on this computer only.</Hint>
          ) : (
            <>
              {destinations.map((destination) => (
                <Entry key={destination.id} destination={destination} />
              ))}
            </>
          )
        }
      </Loaded>
      {isOpen ? (
        <DestinationForm destination={null} onClose={() => setOpen(false)} />
      ) : (
        <Row>
          <Button ref={button} icon="plus" onClick={() => setOpen(true)}>
            Add destination
          </Button>
        </Row>
      )}
    </SettingsSection>
  )
}

const eventNames: Readonly<Record<AlertEvent, string>> = {
  opened: 'starts',
  grown: 'becomes worse',
  closed: 'ends',
}

function titleOf(destination: AlertDestination): string {
  switch (destination.kind) {
    case 'telegram':
      return `Telegram chat ${destination.chatId}`
    case 'webhook':
      return `Webhook ${URL.parse(destination.url)?.host ?? destination.url}`
    case 'command':
      return `Program ${destination.program.split(/[\\/]/).at(-1) ?? ''}`
  }
}

function Entry({ destination }: { destination: AlertDestination }) {
  const editor = useOpener()
  const { id, enabled } = destination
  const title = titleOf(destination)
  return (
    <Stack line="box" pad="l" role="group" aria-labelledby={`alert-${id}`}>
      <Row wrap>
        <Text as="h3" id={`alert-${id}`} size="m" over="break">
          {title}
        </Text>
        <Row last gap="s">
          <EntryButtons name={title} editor={editor} onRemove={() => void remove(id, title)} />
        </Row>
      </Row>
      <Switch
        label="Send alerts to this destination"
        checked={enabled}
        onChange={(next) => void setEnabled(id, next)}
      />
      {editor.isOpen ? (
        <DestinationForm destination={destination} onClose={() => editor.setOpen(false)} />
      ) : (
        <Facts destination={destination} />
      )}
      <Delivery destination={destination} />
      <Test id={id} title={title} />
    </Stack>
  )
}

function Facts({ destination }: { destination: AlertDestination }) {
  const { events, networks, secret, lastSentAt } = destination
  const secretName = destination.kind === 'telegram' ? 'Bot token' : 'Signing secret'
  const where =
    destination.kind === 'webhook'
      ? (['URL', <Text mono over="break" children={destination.url} />] as const)
      : (['Command', <Text mono over="break" children={commandOf(destination)} />] as const)
  return (
    <KeyValues
      pairs={[
        ...(destination.kind === 'telegram' ? [] : [where]),
        ['Sent when', `An incident ${events.map((event) => eventNames[event]).join(', ')}`],
        ['Networks', <ChosenNetworks networks={networks} />],
        ...(secret === null
          ? []
          : [
              [
                secretName,
                <Row>
                  <Text mono>…{secret.hint}</Text>
                  {!secret.present && <Tag tone="warn">not in the keychain: enter it again</Tag>}
                </Row>,
              ] as const,
            ]),
        ['Last alert', lastSentAt === null ? 'None yet' : <Moment at={fromMs(lastSentAt)} />],
      ]}
    />
  )
}

const commandOf = (destination: AlertDestination): string =>
  destination.kind === 'command' ? [destination.program, ...destination.args].join(' ') : ''

function ChosenNetworks({ networks }: Pick<AlertDestination, 'networks'>) {
  if (networks === null) return 'All networks'
  if (networks.length === 0) return 'None, only incidents of Tondesk itself'
  return (
    <Row wrap>
      {networks.map((network) => (
        <NetworkTag key={network} id={network} />
      ))}
    </Row>
  )
}

/** Shows which alert has not arrived, and the reason. */
function Delivery({ destination }: { destination: AlertDestination }) {
  const { id, waiting, givenUp, problem } = destination
  if (problem === null && givenUp === 0) return null
  const parts = [
    waiting > 0 && `${formatCount(waiting, 'alert')} waiting. Tondesk tries again for 12 hours.`,
    givenUp > 0 && `${formatCount(givenUp, 'alert')} given up after 12 hours.`,
  ].filter((part) => part !== false)
  return (
    <Note tone="warn">
      <Stack>
        <p>
          {problem} {parts.join(' ')}
        </p>
        {parts.length > 0 && (
          <Row>
            <ActionButton icon="refresh" action={() => retry(id)}>
              Retry now
            </ActionButton>
          </Row>
        )}
      </Stack>
    </Note>
  )
}

function Test({ id, title }: { id: string; title: string }) {
  const [result, setResult] = useState<{ text: string; isOk: boolean } | null>(null)
  const test = async () => {
    setResult(null)
    const done = await attempt('Could not send a test alert', () => request('alert.test', { id }))
    if (done === undefined) return
    const { problem, milliseconds } = done
    const text = problem ?? `The test alert was sent in ${milliseconds} ms.`
    setResult({ text, isOk: problem === null })
    announce(text)
  }
  return (
    <Row wrap>
      <ActionButton icon="play" aria-label={`Send test to ${title}`} action={test}>
        Send test
      </ActionButton>
      {result !== null && (
        <>
          <Tag tone={result.isOk ? 'ok' : 'bad'}>{result.isOk ? 'sent' : 'failed'}</Tag>
          <Text size="s" over="break">
            {result.text}
          </Text>
        </>
      )}
    </Row>
  )
}

function take(next: AlertDestination | undefined): void {
  if (next === undefined) return
  patchData('alert.list', undefined, (known) =>
    known.map((each) => (each.id === next.id ? next : each)),
  )
}

async function setEnabled(id: string, enabled: boolean): Promise<void> {
  const failure = `Could not turn the destination ${enabled ? 'on' : 'off'}`
  take(await attempt(failure, () => request('alert.setEnabled', { id, enabled })))
}

async function retry(id: string): Promise<void> {
  take(await attempt('Could not retry', () => request('alert.retry', { id })))
}

async function remove(id: string, title: string): Promise<void> {
  const done = await confirmAndRun({
    title: `Remove ${title}?`,
    detail:
      'Tondesk sends no more alerts there and deletes the destination’s secret from the keychain. Alerts that wait are not sent.',
    action: 'Remove',
    failure: 'Could not remove the destination',
    run: () => request('alert.remove', { id }),
  })
  if (done !== undefined) showToast({ title: `${title} removed` })
}
