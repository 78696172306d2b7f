import type { Random } from '../support/random';
import { type MadePage, Page } from './html-pages';

/** Words of which sentences are made; frequent ones, since engines know what is frequent. */
const words = {
  chinese: (
    '我们 港口 船只 今天 明天 公司 管理 报告 时间 工作 问题 发展 国家 经济 社会 学生 老师 城市 交通 天气 ' +
    '可以 没有 已经 需要 开始 认为 关于 以及 因为 所以 合同 发票 金额 客户 产品 质量 服务 技术 市场 价格'
  ).split(' '),
  japanese: (
    '私たちは 港で 船が 今日は 明日の 会社を 管理する 報告書 時間に 仕事が 問題です 発展した 国の 経済と 社会では 学生は ' +
    '先生に 都市から 交通の 天気が できます ありません すでに 必要な 始まる 考える ついて および だから 契約を 請求書 金額は お客様'
  ).split(' '),
};
const fonts = { chinese: 'Noto Serif CJK SC', japanese: 'Noto Sans CJK JP' };

/** A quarter of a page with a heading, text and amounts; it needs the fonts Noto CJK. */
export function createIdeographPage(random: Random, language: keyof typeof words): MadePage {
  const list = words[language];
  const phrase = (count: number) =>
    Array.from({ length: count }, () => list[random.integer(0, list.length - 1)]).join('');
  const amount = () => (random.integer(1_000, 999_999) / 100).toFixed(2);
  const page = new Page().heading(2, phrase(3));
  for (let index = 0; index < 3; index += 1)
    page.text(
      `${phrase(random.integer(4, 7))}，${phrase(random.integer(3, 6))}。${phrase(4)} ${amount()} ${phrase(3)}。`,
    );
  return page.build(language, random, `@page{size:A6;margin:8mm}body{font-family:'${fonts[language]}'}`);
}
