import { useEffect } from 'react'
import { changeSettings, settingsSections } from '../../app/app-settings.ts'
import { attempt, useData, confirmAndRun, request, reload } from '../../app/bridge.ts'
import { printRoute, useRoute } from '../../app/route.ts'
import { Contents, Page } from '../../ui/page.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { DataSection } from './data-section.tsx'
import { DiagnosticsSection } from './diagnostics-section.tsx'
import { NetworksSection } from './networks-section.tsx'
import { ReceiverSection, SandboxSection } from './process-sections.tsx'
import { SettingsForm, SettingsSection, toggleOf, useSettingsForm, BytesField } from './section.tsx'
import type { Settings } from '../../../src-preload/contract/settings.ts'
import { readWhole, joinBytes, splitBytes, useForm } from '../../app/use-form.ts'
import { Row, KeyValues, Hint, Moment, Tag, Text } from '../../ui/layout.tsx'
import { Switch, TextField, RadioList, Form } from '../../ui/form.tsx'
import { chooseTheme, themes } from '../../app/theme.ts'
import { formatNumber, fromMs } from '../../ui/format.ts'
import type { WebhookToken } from '../../../src-preload/contract/secret.ts'
import { Button } from '../../ui/button.tsx'
import { useOpener } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/toast.tsx'
import { Table } from '../../ui/table.tsx'
import { KeychainState } from './keychain-state.tsx'

const coinNames: readonly { value: Settings['appearance']['coinName']; label: string }[] = [
  { value: 'network', label: 'Coin name used by the network' },
  { value: 'GRAM', label: 'GRAM' },
  { value: 'TON', label: 'TON' },
]

function AppearanceSection({ settings }: { settings: Settings['appearance'] }) {
  return (
    <SettingsSection id="appearance">
      <RadioList
        label="Theme"
        value={settings.theme}
        options={themes}
        onChange={(theme) => void chooseTheme(theme)}
      />
      <RadioList
        label="Coin name"
        value={settings.coinName}
        options={coinNames}
        onChange={(coinName) =>
          void attempt('Could not change the coin name', () =>
            changeSettings({ appearance: { coinName } }),
          )
        }
      />
    </SettingsSection>
  )
}

const hosts = { electron: 'desktop app', browser: 'browser mode', cli: 'command line' } as const

function AboutSection() {
  return (
    <SettingsSection id="about">
      <Loaded query={useData('app.info')} of="the versions" rows={3}>
        {({ version, host, platform, node, electron, sqlite, processId }) => (
          <KeyValues
            pairs={[
              ['Tondesk', `${version}, ${hosts[host]}`],
              ['System', platform],
              ['Node.js', node],
              ['Electron', electron ?? null],
              ['SQLite', sqlite],
              ['Process ID', String(processId)],
            ]}
          />
        )}
      </Loaded>
    </SettingsSection>
  )
}

function InspectorSection({ settings }: { settings: Settings['inspector'] }) {
  const form = useSettingsForm('inspector', settings, settings, (values) => values)
  return (
    <SettingsSection
      id="inspector"
      detail="Tondesk explains captures with data from the chain. Explanations are stored on this computer and are available offline."
    >
      <SettingsForm form={form}>
        <Switch
          label="Load the transactions of captures from the gateway"
          hint="For each capture, Tondesk sends one or two requests to the gateway, with the lowest priority and within the rate limit of your API key. If you turn this setting off, Tondesk loads a transaction only when you open its capture. Sandbox transactions are always loaded."
          {...toggleOf(form, 'meaning')}
        />
      </SettingsForm>
    </SettingsSection>
  )
}

function RetentionSection({ settings }: { settings: Settings['retention'] }) {
  const initial = {
    maxAgeDays: settings.maxAgeDays === null ? '' : String(settings.maxAgeDays),
    maxCount: formatNumber(settings.maxCount),
    maxBytes: splitBytes(settings.maxBytes),
  }
  const form = useSettingsForm('retention', settings, initial, (values, check) => {
    const { maxAgeDays: age, maxBytes: size } = values
    const ageError = 'Enter a number of days, or leave the field empty.'
    return {
      maxAgeDays: age.trim() === '' ? null : check('maxAgeDays', readWhole(age), ageError),
      maxCount: check('maxCount', readWhole(values.maxCount), 'Enter a whole number.'),
      maxBytes: check('maxBytes', joinBytes(size), 'Enter a number, such as 2 or 0.5.'),
    }
  })
  return (
    <SettingsSection
      id="retention"
      detail="The oldest captures are deleted when one of these limits is reached. Pinned captures are never deleted."
    >
      <SettingsForm form={form}>
        <TextField
          label="Maximum age"
          short
          suffix="days"
          placeholder="No limit"
          hint="Leave this empty to keep captures of any age."
          {...form.field('maxAgeDays')}
        />
        <TextField
          label="Maximum number of captures"
          short
          suffix="captures"
          hint={`Between 100 and ${formatNumber(10_000_000)}.`}
          {...form.field('maxCount')}
        />
        <BytesField
          label="Maximum size"
          hint="The size includes the database and its search index. The minimum is 64 MiB."
          {...form.field('maxBytes')}
        />
      </SettingsForm>
    </SettingsSection>
  )
}

const time = /^\d\d:\d\d$/

function MonitoringSection({ settings }: { settings: Settings['monitoring'] }) {
  const { quietHours, ...shown } = settings
  const initial = {
    ...shown,
    everySeconds: String(settings.everySeconds),
    failedAttempts: String(settings.failedAttempts),
    lagMinutes: String(settings.lagMinutes),
    isQuiet: quietHours !== null,
    from: quietHours?.from ?? '22:00',
    to: quietHours?.to ?? '08:00',
  }
  const form = useSettingsForm('monitoring', settings, initial, (values, check) => {
    const { isQuiet, from, to, everySeconds, failedAttempts, lagMinutes, ...rest } = values
    const hours = time.test(from) && time.test(to) ? { from, to } : null
    return {
      ...rest,
      everySeconds: check('everySeconds', readWhole(everySeconds), 'Enter a number of seconds.'),
      failedAttempts: check('failedAttempts', readWhole(failedAttempts), 'Enter a whole number.'),
      lagMinutes: check('lagMinutes', readWhole(lagMinutes), 'Enter a number of minutes.'),
      quietHours: isQuiet ? check('from', hours, 'Enter a start and an end time.') : null,
    }
  })
  return (
    <SettingsSection
      id="monitoring"
      detail="The gateway counts failed deliveries, but keeps no history. Tondesk reads the gateway’s counters regularly and records when each failure began, how many attempts failed, and when it ended."
    >
      <SettingsForm form={form}>
        <Switch
          label="Read the failure counters of webhooks and subscriptions"
          hint="Tondesk stays within the gateway’s rate limit and reads long lists of subscriptions in parts. If this is off, you get no failure history and no notices."
          {...toggleOf(form, 'sample')}
        />
        <TextField
          label="Time between two readings"
          short
          suffix="seconds"
          hint="Between 10 seconds and 1 hour."
          {...form.field('everySeconds')}
        />
        <Switch label="Notify when an account’s deliveries fail" {...toggleOf(form, 'failing')}>
          <TextField
            label="Failed attempts before a notification"
            short
            suffix="attempts"
            {...form.field('failedAttempts')}
          />
        </Switch>
        <Switch
          label="Notify when a webhook goes offline or is suspended"
          {...toggleOf(form, 'offline')}
        />
        <Switch
          label="Notify when deliveries lag behind the chain"
          hint="Tondesk measures the lag of the accounts that you watch and of accounts whose deliveries fail."
          {...toggleOf(form, 'lagging')}
        >
          <TextField
            label="Lag before a notification"
            short
            suffix="minutes"
            hint="Between 1 minute and 1 week (10 080 minutes)."
            {...form.field('lagMinutes')}
          />
        </Switch>
        <Switch label="Notify when a problem ends" {...toggleOf(form, 'recovery')} />
        <NativeSwitch {...toggleOf(form, 'native')} />
        <Switch
          label="Quiet hours"
          hint="During this time, Tondesk shows notices inside its window only."
          {...toggleOf(form, 'isQuiet')}
        >
          <Row align="start">
            <TextField label="From" type="time" {...form.field('from')} />
            <TextField label="To" type="time" {...form.field('to')} />
          </Row>
        </Switch>
      </SettingsForm>
    </SettingsSection>
  )
}

/** Only the desktop app has system notifications. */
function NativeSwitch(toggle: { checked: boolean; onChange: (checked: boolean) => void }) {
  const host = useData('app.info').data?.host
  const hint =
    host === undefined || host === 'electron'
      ? 'You see new notices even while the window is closed. Click a notice to open its webhook.'
      : 'You use Tondesk in a browser: this setting takes effect in the desktop app only. Here, Tondesk shows notices in the bar at the top.'
  return <Switch label="Show notices outside the Tondesk window" hint={hint} {...toggle} />
}

export function SettingsPage() {
  const query = useData('settings.get')
  const section = useRoute(({ route }) => (route.page === 'settings' ? route.section : null))
  const isReady = query.data !== undefined

  useEffect(() => {
    if (section === null || !isReady) return
    const element = document.getElementById(`settings-${section}`)
    const heading = element?.querySelector('h2')
    element?.scrollIntoView({ block: 'start' })
    if (heading === null || heading === undefined) return
    heading.tabIndex = -1
    heading.focus({ preventScroll: true })
  }, [section, isReady])

  return (
    <Page title="Settings">
      <Loaded query={query} of="the settings" rows={8}>
        {(settings) => (
          <Contents
            label="Settings"
            links={Object.entries(settingsSections).map(([id, title]) => ({
              href: printRoute({ page: 'settings', section: id }),
              title,
              isCurrent: id === section,
            }))}
          >
            <NetworksSection />
            <ReceiverSection settings={settings.receiver} />
            <SandboxSection settings={settings.sandbox} />
            <TokensSection />
            <InspectorSection settings={settings.inspector} />
            <MonitoringSection settings={settings.monitoring} />
            <RetentionSection settings={settings.retention} />
            <AppearanceSection settings={settings.appearance} />
            <DataSection />
            <DiagnosticsSection />
            <AboutSection />
          </Contents>
        )}
      </Loaded>
    </Page>
  )
}

function TokensSection() {
  const tokens = useData('webhookToken.list')
  const place = useData('secrets.state').data?.place
  const canAdd = place !== undefined && place !== 'none'
  const { isOpen, setOpen, button } = useOpener()
  return (
    <SettingsSection
      id="tokens"
      detail="The gateway sends the bearer token of a webhook with each delivery. Tondesk checks deliveries against the tokens that you add here. Tondesk shows only the last four characters of a saved token."
    >
      <KeychainState what="Tokens" />
      <Loaded query={tokens} of="the tokens" rows={2}>
        {(list) =>
          list.length > 0 ? (
            <Tokens tokens={list} />
          ) : (
            <Hint>
              No tokens added yet, so Tondesk does not check deliveries of real gateways. Sandbox
              webhooks need no token here.
            </Hint>
          )
        }
      </Loaded>
      {isOpen && canAdd ? (
        <AddToken onClose={() => setOpen(false)} />
      ) : (
        <Row>
          <Button
            ref={button}
            icon="plus"
            aria-disabled={!canAdd}
            onClick={() => canAdd && setOpen(true)}
          >
            Add a token
          </Button>
          {place === 'none' && (
            <Text size="s" tone="dim">
              To add a token, first choose above where tokens are stored.
            </Text>
          )}
        </Row>
      )}
    </SettingsSection>
  )
}

function Tokens({ tokens }: { tokens: readonly WebhookToken[] }) {
  return (
    <Table
      label="Webhook tokens"
      rows={tokens}
      keyOf={({ id }) => id}
      columns={[
        { name: 'Name', cell: ({ label }) => label },
        {
          name: 'Token',
          cell: ({ hint, present }) => (
            <Row>
              <Text mono>…{hint}</Text>
              {!present && (
                <Tag
                  tone="warn"
                  title="The keychain does not contain this token. It was deleted from the keychain, or was kept in memory only until Tondesk quit. Remove the token and add it again."
                >
                  lost, add it again
                </Tag>
              )}
            </Row>
          ),
        },
        {
          name: 'Added',
          look: 'dim',
          cell: ({ createdAt }) => <Moment at={fromMs(createdAt)} />,
        },
        {
          name: 'Actions',
          hideName: true,
          cell: (token) => (
            <Row justify="end">
              <Button
                kind="quiet"
                icon="trash"
                aria-label={`Remove ${token.label}…`}
                onClick={() => void removeToken(token)}
              >
                Remove…
              </Button>
            </Row>
          ),
        },
      ]}
    />
  )
}

function AddToken({ onClose }: { onClose: () => void }) {
  const form = useForm({ label: '', token: '' }, async (values) => {
    const added = await request('webhookToken.add', values)
    reload('webhookToken.list')
    showToast({ title: `Token “${added.label}” added` })
    onClose()
  })
  return (
    <Form inline form={form} action="Add" onCancel={onClose}>
      <TextField label="Name" placeholder="Shop webhook" autoFocus {...form.field('label')} />
      <TextField
        label="Token"
        type="password"
        autoComplete="new-password"
        mono
        {...form.field('token')}
      />
    </Form>
  )
}

async function removeToken({ id, label, hint }: WebhookToken): Promise<void> {
  const done = await confirmAndRun({
    title: `Remove the token “${label}”?`,
    detail: `The token that ends in ${hint} is deleted from this computer, but stays valid at the gateway. Tondesk then marks deliveries with this token as “wrong token”. If this is the last token, Tondesk no longer checks deliveries.`,
    action: 'Remove',
    failure: 'Could not remove the token',
    run: () => request('webhookToken.remove', { id }),
  })
  if (done === undefined) return
  reload('webhookToken.list')
  showToast({ title: `Token “${label}” removed` })
}
