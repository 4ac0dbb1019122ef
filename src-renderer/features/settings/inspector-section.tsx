import type { Settings } from '../../../src-preload/contract/settings.ts'
import { Switch } from '../../ui/switch.tsx'
import { SectionForm } from './section-form.tsx'
import { Section } from './section.tsx'
import { useDraft } from './use-draft.ts'
import { useSave } from './use-save.ts'

type InspectorSettings = Settings['inspector']

export function InspectorSection({ settings }: { settings: InspectorSettings }) {
  const save = useSave()
  const { draft, change, clear, form } = useDraft<InspectorSettings>(save)

  const submit = async () => {
    const next = { meaning: draft.meaning ?? settings.meaning }
    if (await save.save('Inspector', { inspector: next }, { inspector: settings })) clear()
  }

  return (
    <Section
      id="inspector"
      detail="What is learnt of captures beyond what they say themselves. It is kept here and can be read without a network."
    >
      <SectionForm {...form} onSubmit={() => void submit()}>
        <Switch
          label="Read the transactions of captures from the gateway"
          hint="One or two requests for each capture, behind everything else, within your key’s limit. Turned off, a transaction is read when you open its capture; those of the sandbox are always read."
          checked={draft.meaning ?? settings.meaning}
          onChange={(next) => change({ meaning: next })}
        />
      </SectionForm>
    </Section>
  )
}
