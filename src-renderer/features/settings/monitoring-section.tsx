import type { Settings } from '../../../src-preload/contract/settings.ts'
import { useData } from '../../app/bridge.ts'
import {
  SavedNumber,
  SavedSwitch,
  SavedText,
  SettingsSection,
  saverOf,
  valid,
} from '../../components/settings.tsx'
import { Row } from '../../ui/layout.tsx'

const save = saverOf('monitoring')
const usualQuietHours = { from: '22:00', to: '08:00' }

export function MonitoringSection({ settings: { monitoring } }: { settings: Settings }) {
  const { everySeconds, failedAttempts, failingMinutes, lagMinutes, quietHours } = monitoring
  const switchOf = (
    name: 'sample' | 'failing' | 'offline' | 'lagging' | 'recovery' | 'native',
  ) => ({ value: monitoring[name], save: (value: boolean) => save(name, value) })
  return (
    <SettingsSection
      id="monitoring"
      detail="The gateway counts failed deliveries, but keeps no history. Tondesk reads the gateway’s counters regularly and records when each failure began, how many attempts failed, and when it ended."
    >
      <SavedSwitch
        label="Read the failure counters of webhooks and subscriptions"
        hint="Tondesk stays within the gateway’s rate limit and reads long lists of subscriptions in parts. If this is off, you get no failure history, and webhooks have no incidents."
        {...switchOf('sample')}
      />
      <SavedNumber
        label="Time between two readings"
        suffix="seconds"
        hint="Between 10 seconds and 1 hour (3600 seconds)."
        value={everySeconds}
        save={(value) => save('everySeconds', value)}
      />
      <SavedNumber
        label="Failures before an incident"
        suffix="failures"
        hint="An incident is one problem of a webhook, a forwarding target, the tunnel, the receiver or the disk. Fewer failures are often a restart of your server."
        value={failedAttempts}
        save={(value) => save('failedAttempts', value)}
      />
      <SavedNumber
        label="Longest problem without an incident"
        suffix="minutes"
        hint="Between 1 minute and 1 day (1440 minutes). Then an incident begins, even after a single failure."
        value={failingMinutes}
        save={(value) => save('failingMinutes', value)}
      />
      <SavedSwitch label="Notify when deliveries fail" {...switchOf('failing')} />
      <SavedSwitch
        label="Notify when a webhook goes offline or is suspended"
        {...switchOf('offline')}
      />
      <SavedSwitch
        label="Notify when deliveries lag behind the chain"
        hint="Tondesk measures the lag of the accounts that you watch and of accounts whose deliveries fail."
        {...switchOf('lagging')}
      >
        <SavedNumber
          label="Lag before an incident"
          suffix="minutes"
          hint="Between 1 minute and 1 week (10080 minutes)."
          value={lagMinutes}
          save={(value) => save('lagMinutes', value)}
        />
      </SavedSwitch>
      <SavedSwitch label="Notify when a problem ends" {...switchOf('recovery')} />
      <NativeSwitch {...switchOf('native')} />
      <SavedSwitch
        label="Quiet hours"
        hint="During this time, Tondesk shows incidents inside its window only."
        value={quietHours !== null}
        save={(isOn) => save('quietHours', isOn ? usualQuietHours : null)}
      >
        {quietHours !== null && (
          <Row align="start">
            {(['from', 'to'] as const).map((end) => (
              <SavedText
                key={end}
                label={end === 'from' ? 'From' : 'To'}
                type="time"
                value={quietHours[end]}
                save={(text) => {
                  const time = valid(/^\d\d:\d\d$/.test(text) ? text : null, 'Enter a time.')
                  return save('quietHours', { ...quietHours, [end]: time })
                }}
              />
            ))}
          </Row>
        )}
      </SavedSwitch>
    </SettingsSection>
  )
}

/** The switch of system notifications, which only the desktop app has. */
function NativeSwitch(setting: { value: boolean; save: (value: boolean) => Promise<unknown> }) {
  const host = useData('app.info').data?.host
  const isDesktop = host === undefined || host === 'electron'
  return (
    <SavedSwitch
      label="Show incidents outside the Tondesk window"
      hint={
        isDesktop
          ? 'You see new incidents even while the window is closed. Click a notification to open the page with the cause.'
          : 'This setting takes effect in the desktop app only.'
      }
      inForce={
        isDesktop
          ? null
          : 'Off here: you use Tondesk in a browser, which shows incidents at the top of its window.'
      }
      {...setting}
    />
  )
}
