// The page in headless Chromium: every screen in two widths and both schemes without a violation that axe-core finds and
// without scrolling sideways, by keyboard alone, without script, live, and a review that changes what is decided.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const { BASE, TOKEN, CHROMIUM, SHOTS } = process.env;
const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const { readFileSync } = await import("node:fs");
const axeText = readFileSync(axe, "utf8");
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
if (SHOTS) mkdirSync(SHOTS, { recursive: true });
let passed = 0;

async function test(name, run) {
    const begun = Date.now();
    try {
        await run();
        passed += 1;
        console.log(`ok: ${name} (${Date.now() - begun} ms)`);
    } catch (error) {
        console.log(`FAILED: ${name}\n${error.stack}`);
        console.log(`${passed} passed, 1 failed`);
        await browser.close();
        process.exit(1);
    }
}

async function signedIn(options = {}) {
    const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, ...options });
    context.setDefaultTimeout(90_000);
    const page = await context.newPage();
    const faults = [];
    page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
    page.on("pageerror", (error) => faults.push(String(error)));
    await page.goto(`${BASE}/sign-in`);
    await page.fill("#token", TOKEN);
    await page.press("#token", "Enter");
    await page.waitForURL(`${BASE}/`);
    return { context, page, faults };
}

async function record(fact) {
    const answer = await fetch(`${BASE}/v1/facts`, {
        method: "POST",
        headers: { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/x-ndjson" },
        body: JSON.stringify(fact),
    });
    assert.equal(answer.status, 200, await answer.text());
}

const first = await signedIn();
const hrefOf = (relation) => first.page.goto(`${BASE}/?relation=${relation}`)
    .then(() => first.page.locator("a.row").first().getAttribute("href"));
const decision = await hrefOf("replace_tool");
await first.context.close();

const SCREENS = [
    ["decisions", "/"],
    ["decisions-none", "/?subject=nothing+like+that"],
    ["decision", decision],
    ["why-not", "/why-not"],
    ["why-not-answer", "/why-not?relation=tool_allowed&ask=1&c0=web_search"],
    ["what-if", "/what-if"],
    ["what-if-answer", "/what-if?p_poor_quality=0.45"],
    ["reviews", "/reviews"],
    ["outbox", "/outbox"],
    ["facts", "/facts"],
    ["facts-past", "/facts?relation=feedback&at=2"],
    ["rules", "/rules"],
    ["rule", "/rules/replace_tool"],
    ["map", "/map"],
    ["performance", "/performance"],
    ["edit", "/edit"],
    ["edit-file", "/edit?file=own.dl"],
    ["ledger", "/ledger?verify=1"],
    ["lost", "/decisions/99.1"],
];

for (const colorScheme of ["light", "dark"]) {
    for (const width of [1400, 400]) {
        const { context, page, faults } = await signedIn({ colorScheme, viewport: { width, height: 900 } });
        // axe-core is not the page's own script, which is all that its policy lets in.
        for (const [name, path] of [...SCREENS, ["sign-in", "/sign-in"]]) {
            await test(`${name}, ${width} px, ${colorScheme}`, async () => {
                if (name === "sign-in") await context.clearCookies();
                await page.goto(`${BASE}${path}`);
                const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
                assert.ok(wide <= 0, `${name} is ${wide} px too wide`);
                if (SHOTS) await page.screenshot({ path: `${SHOTS}/${name}-${width}-${colorScheme}.png`, fullPage: false });
                await page.evaluate(axeText);
                const found = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
                const told = found.violations.map((one) =>
                    `${one.id}: ${one.help}\n${one.nodes.slice(0, 3).map((node) => `    ${node.html}\n    ${node.failureSummary}`).join("\n")}`);
                assert.deepEqual(told, [], told.join("\n"));
                const own = faults.splice(0).filter((text) => !text.includes("404"));
                assert.deepEqual(own, [], "nothing is said on the console");
            });
        }
        await context.close();
    }
}

await test("by keyboard: from signing in to why a decision was drawn", async () => {
    const { context, page } = await signedIn();
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Skip to content");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => document.activeElement.id), "main");
    await page.focus("#subject");
    await page.keyboard.type("run-100");
    await page.keyboard.press("Enter");
    await page.waitForURL(/subject=run-100/);
    for (let at = 0; at < 40; at += 1) {
        await page.keyboard.press("Tab");
        if (await page.evaluate(() => document.activeElement.matches("a.row"))) break;
    }
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/decisions\//);
    const summary = page.locator(".proof details:not([open]) > summary").first();
    if (await summary.count()) {
        await summary.focus();
        const before = await page.locator(".proof details[open]").count();
        await page.keyboard.press("Enter");
        assert.equal(await page.locator(".proof details[open]").count(), before + 1);
    }
    await context.close();
});

await test("without script: filter, ask, look back", async () => {
    const { context, page } = await signedIn({ javaScriptEnabled: false });
    await page.selectOption("#relation", "replace_tool");
    await page.click("text=Filter");
    await page.waitForURL(/relation=replace_tool/);
    await page.goto(`${BASE}/why-not`);
    await page.selectOption("#relation", "tool_allowed");
    await page.click("button:has-text('Next')");
    await page.fill("#c0", "web_search");
    await page.click("button:has-text('Why not?') >> nth=0");
    assert.match(await page.textContent("main"), /does not hold/);
    await context.close();
});

await test("what is decided shows at once, without a reload", async () => {
    const { context, page } = await signedIn();
    await page.goto(`${BASE}/?relation=block`);
    assert.equal(await page.locator("a.row").count(), 1);
    await record({ guarded_event: ["payment-8", "/financial"] });
    await page.waitForFunction(() => document.querySelectorAll("a.row").length === 2);
    assert.match(await page.textContent("a.row.new"), /payment-8/);
    await context.close();
});

await test("a review approved in the browser changes the next decision", async () => {
    const { context, page } = await signedIn();
    await page.goto(`${BASE}/reviews`);
    const card = page.locator("article.review", { hasText: "payment-7/financial" });
    await card.getByLabel("Reason").fill("the contract is signed");
    await card.getByRole("button", { name: "Approve" }).click();
    await page.waitForURL(/done=approved/);
    assert.match(await page.textContent(".done"), /payment-7\/financial is approved/);
    assert.equal(await page.locator("article.review", { hasText: "payment-7/financial" }).count(), 0);
    await page.goto(`${BASE}/?relation=block`);
    const left = await page.locator("a.row").allTextContents();
    assert.equal(left.some((text) => text.includes("payment-7")), false, left.join());
    await context.close();
});

await test("rules are checked, tested and then saved, without script", async () => {
    const { context, page } = await signedIn({ javaScriptEnabled: false });
    await page.goto(`${BASE}/edit`);
    await page.click("text=own.dl");
    const written = await page.inputValue("#text");
    await page.fill("#text", written.replace(":- call_wanted(", ":- call_wantd("));
    await page.click("text=Check and test");
    assert.match(await page.textContent("main"), /did you mean `call_wanted`/);
    assert.equal(await page.locator("button[value=save]").count(), 0);
    await page.fill("#text", written.replace("int = 3", "int = 2"));
    await page.click("text=Check and test");
    assert.match(await page.textContent("main"), /what is not urgent waits/);
    await page.fill("#text", written.replace("asked with the", "asks with the"));
    await page.click("text=Check and test");
    assert.match(await page.textContent("[role=status]"), /1 test passes/);
    await page.click("text=Save what was checked");
    await page.waitForURL(/saved=1/);
    assert.match(await page.inputValue("#text"), /asks with the/);
    await context.close();
});

await test("an edited proposal is approved as it was written anew", async () => {
    const { context, page } = await signedIn();
    await page.goto(`${BASE}/reviews`);
    const card = page.locator("article.review", { hasText: "shorter-answers" });
    await card.getByText("Edit before approving").click();
    await card.locator("textarea").last().fill("Answer in one sentence.");
    await card.getByRole("button", { name: "Approve" }).click();
    await page.waitForURL(/done=approved/);
    await page.goto(`${BASE}/facts?relation=review_edit`);
    assert.match(await page.textContent("table"), /Answer in one sentence\./);
    await context.close();
});

await browser.close();
console.log(`${passed} passed, 0 failed`);
