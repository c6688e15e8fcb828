import { expect, it } from 'vitest';
import { meaningOf } from '../../src/webhooks/opt-outs.ts';

const texts = (list: string) => list.split(/ ?\| ?/);

const replies: Readonly<Record<'opted out' | 'opted in' | 'unclear' | 'nothing', readonly string[]>> = {
  'opted out': [
    ...texts(
      'STOP | stop. |  Stopp!!  | Opt out | ｕｎｓｕｂｓｃｒｉｂｅ | *Stop* 🙏 | “STOP” | 🛑\ufe0f STOP | S\u200bTOP',
    ),
    ...texts(
      'Bitte STOP! | stop, please | Parar por favor | SAIR | Baja | Arrêt, s’il vous plaît | Abmelden | Austragen',
    ),
    ...texts('Стоп | стоп, пожалуйста | 停止 | 配信停止'),
  ],
  'opted in': texts('START | start! |  “Start” '),
  unclear: [
    ...texts('CANCEL | QUIT | STOP the noise | stop texting me | unsubscribe me now | please remove me'),
    ...texts('no more messages | Bitte keine Werbung mehr | ich möchte kündigen | Abbestellen | désabonnez-moi'),
    ...texts('plus de messages svp | no quiero más mensajes | não quero mais, sair | basta messaggi'),
    ...texts('geen berichten meer | proszę mnie wypisać, rezygnuję | mesaj istemiyorum | отпишите меня'),
    ...texts('もうやめてください | 配信を停止してください | 请退订 | توقف عن الإرسال | संदेश बंद करो'),
  ],
  nothing: [
    ...texts('| please | Yes | Danke, bis morgen | nicht | Merci, à demain | ¿A qué hora abren? | Obrigada!'),
    ...texts('grazie mille | Спасибо, приду | Started yesterday | nonstop | Weekend | para mañana, gracias'),
    ...texts('ありがとうございます | 好的，谢谢 | شكرا | धन्यवाद'),
    `STOP${'!'.repeat(400_000)}`,
    `${'!'.repeat(400_000)}a`,
    `I will not be able to come, so I have to cancel the appointment on Friday, is Monday at ten possible?`,
  ],
};

const rows = Object.entries(replies).flatMap(([meaning, texts]) => texts.map((text) => [text, meaning] as const));

it.each(rows)('%.60j is: %s', (text, meaning) => {
  expect(meaningOf(text, ['Austragen']) ?? 'nothing').toBe(meaning);
});
