// What `tests/browser.sh` checks on a page: node browser.mjs BROWSER PAGE PROFILE.
import assert from "node:assert/strict";
import { chromium } from "playwright-core";

const [browser, file, profile] = process.argv.slice(2);
const flags = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const context = await chromium.launchPersistentContext(profile, { executablePath: browser, headless: true, args: flags, viewport: { width: 1000, height: 900 } });
const page = await context.newPage();
const troubles = [];
page.on("console", (message) => ["error", "warning"].includes(message.type()) && troubles.push(message.text()));
page.on("pageerror", (error) => troubles.push(error.message));
page.on("request", (request) => /^(file|data):/.test(request.url()) || troubles.push("asks for " + request.url()));
await page.goto("file://" + file);

// Texts of one drawing that cover each other by more than two pixels both ways.
const overlaps = () => {
  const found = [];
  for (const svg of document.querySelectorAll("figure .plot > svg")) {
    const boxes = [...svg.querySelectorAll("text")].map((text) => [text.textContent, text.getBoundingClientRect()]).filter(([, box]) => box.width);
    boxes.forEach(([a, one], i) => boxes.slice(i + 1).forEach(([b, other]) => {
      const wide = Math.min(one.right, other.right) - Math.max(one.left, other.left);
      const high = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
      if (wide > 2 && high > 3.5) found.push(`${svg.closest("figure").id}: "${a}" and "${b}"`);
    }));
    const own = svg.getBoundingClientRect();
    for (const [text, box] of boxes) if (box.left < own.left - 2 || box.right > own.right + 2) found.push(`${svg.closest("figure").id}: "${text}" is cut off`);
  }
  return found;
};

const checks = {
  async "every figure has marks and a name"() {
    const figures = await page.locator("figure").evaluateAll((all) => all.map((figure) => {
      const svg = figure.querySelector(".plot > svg");
      return [figure.id, svg.querySelectorAll(".line, .band, .layer, .bar, .cell, .mean").length, svg.querySelector("title").textContent.length];
    }));
    assert(figures.length > 0, "no figures");
    for (const [id, marks, title] of figures) assert(marks > 0 && title > 0, `${id} has ${marks} marks and a title of ${title} letters`);
    return `${figures.length} figures`;
  },
  async "no two labels overlap"() {
    assert.deepEqual(await page.evaluate(overlaps), []);
  },
  async "one cursor shows the same moment in all figures of an axis"() {
    const plot = page.locator("figure:has(.area) .plot").first();
    await plot.scrollIntoViewIfNeeded();
    const axis = await plot.locator(".area").first().getAttribute("data-axis");
    const [left, top, width, height] = (await plot.locator(".area").first().getAttribute("data-box")).split(" ").map(Number);
    const box = await plot.locator("> svg").boundingBox();
    const scale = await plot.locator("> svg").evaluate((svg) => svg.clientWidth / svg.viewBox.baseVal.width);
    await page.mouse.move(box.x + (left + width / 2) * scale, box.y + (top + height / 2) * scale);
    const tips = await page.locator(".tip").allTextContents();
    const same = await page.locator(".area").evaluateAll((areas, axis) => areas.filter((area) => area.dataset.axis === axis).length, axis);
    assert(tips.length > 0 && tips.length <= same && tips.every((tip) => /\d/.test(tip)), `${tips.length} of ${same}: ${tips}`);
    await page.mouse.move(2, 2);
    assert.equal(await page.locator(".tip").count(), 0, "the cursor goes with the mouse");
    await plot.focus();
    await page.keyboard.press("End");
    assert.equal(await page.locator(".tip[role=status]").count(), 1, "keys move it too");
    await page.keyboard.press("Escape");
    return `${tips.length} plots of ${axis}`;
  },
  async "a legend hides a series"() {
    const button = page.locator("figure .legend:not(.few) button").first();
    if (!(await button.count())) return "no legend";
    const series = button.locator("xpath=ancestor::figure").locator(`.plot [data-s="${await button.getAttribute("data-s")}"]`).first();
    for (const [pressed, display] of [["false", "none"], ["true", "inline"]]) {
      await button.press("Enter");
      assert.equal(await button.getAttribute("aria-pressed"), pressed);
      assert.equal(await series.evaluate((part) => getComputedStyle(part).display), display);
    }
  },
  async "a table sorts"() {
    const table = page.locator("table.sortable").first();
    if (!(await table.count())) return "no table";
    // A list of runs is folded away at first.
    await table.evaluate((part) => { for (let d = part.closest("details"); d; d = d.parentElement.closest("details")) d.open = true; });
    const head = table.locator("thead th").nth(1);
    const column = () => table.locator("tbody tr:not(.life)").evaluateAll((rows) => rows.map((row) => row.cells[1].dataset.v || row.cells[1].textContent));
    await head.click();
    const up = await column();
    await head.click();
    const down = await column();
    const numbers = (texts) => texts.map((text) => parseFloat(text.replace("−", "-"))).filter((v) => !Number.isNaN(v));
    assert.deepEqual(numbers(up), [...numbers(up)].sort((a, b) => a - b));
    assert.deepEqual(numbers(down), [...numbers(down)].sort((a, b) => b - a));
    assert.equal(await head.getAttribute("aria-sort"), "descending");
    return `${up.length} rows`;
  },
  async "nodes open and are filtered"() {
    const rows = page.locator("table.nodes tr[data-node]");
    if (!(await rows.count())) return "no nodes";
    const known = await rows.evaluateAll((rows) => rows.findIndex((row) => document.getElementById("node-" + row.dataset.node)));
    for (const i of new Set([Math.max(0, known), 0])) {
      await rows.nth(i).click();
      assert.equal(await page.locator("tr.life").count(), 1);
      assert((await page.locator("tr.life").innerText()).length > 10, "a life says something");
      assert.equal(await rows.nth(i).getAttribute("aria-expanded"), "true");
      await rows.nth(i).press("Enter");
      assert.equal(await page.locator("tr.life").count(), 0);
    }
    await page.locator(".filter").first().fill("no node is called so");
    assert.equal(await page.locator("table.nodes tr[data-node]:visible").count(), 0);
    await page.locator(".filter").first().fill("");
    return `${await rows.count()} rows`;
  },
  async "numbers open"() {
    for (const details of await page.locator("figure > details").all()) {
      await details.locator("summary").click();
      assert((await details.locator("table tbody tr").count()) > 0, "a table has rows");
    }
  },
  async "a narrow screen needs no sideways scrolling"() {
    await page.setViewportSize({ width: 360, height: 740 });
    const wide = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert(wide[0] <= wide[1], `${wide[0]} pixels on ${wide[1]}`);
    assert.deepEqual(await page.evaluate(overlaps), []);
  },
  async "no errors, and nothing from the network"() {
    assert.deepEqual(troubles, []);
  },
};

let failed = 0;
for (const [name, check] of Object.entries(checks)) {
  try {
    const said = await check();
    console.log(`ok      ${name}${said ? `: ${said}` : ""}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED  ${name}\n${error.message}`);
  }
}
await context.close();
process.exit(failed ? 1 : 0);
